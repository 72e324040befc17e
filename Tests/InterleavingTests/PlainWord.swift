#if Interleaving
  import CShims
  import Primitives

  /// A word of node memory that is accessed plainly, as the fields of nodes are.
  struct PlainWord: @unchecked Sendable {
    // @unchecked: virtual threads take turns; whether they may is what the scheduler checks.
    let memory = NodeMemory.allocate(byteCount: 8, alignment: 8)

    func write(_ value: Int, line: UInt32 = #line) {
      cws_scheduler_get().pointee.access(memory, true, Self.site(line))
      memory.storeBytes(of: value, as: Int.self)
    }

    @discardableResult
    func read(line: UInt32 = #line) -> Int {
      cws_scheduler_get().pointee.access(memory, false, Self.site(line))
      return memory.load(as: Int.self)
    }

    func reclaim() {
      NodeMemory.deallocate(memory)
    }

    private static func site(_ line: UInt32) -> cws_site {
      cws_site(file: nil, function: nil, line: line)
    }
  }
#endif
