import Dispatch
import Primitives

/// A value behind a concurrent dispatch queue: readers run side by side, writers as barriers.
///
/// Both wait for their turn, so what a thread wrote it can read at once, and nothing is retained by a
/// pending block.
public struct BarrierQueueLock<Value>: ValueLock, ~Copyable {
  private let queue = DispatchQueue(label: "weak-collections", attributes: .concurrent)
  private let value: UnsafeMutablePointer<Value>

  public init(_ value: consuming Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  public borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    if let lock = VirtualLock.acquire(value, exclusively: false) {
      defer { lock.release() }
      return try body(value.pointee)
    }
    var result: Result<R, F>?
    queue.sync {
      result = Result { () throws(F) in try body(value.pointee) }
    }
    return try result!.get()
  }

  public borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    if let lock = VirtualLock.acquire(value, exclusively: true) {
      defer { lock.release() }
      return try body(&value.pointee)
    }
    var result: Result<R, F>?
    queue.sync(flags: .barrier) {
      HaltPoint.underLock.reach()
      result = Result { () throws(F) in try body(&value.pointee) }
    }
    return try result!.get()
  }
}

// @unchecked: the value is reached only through the lock.
extension BarrierQueueLock: @unchecked Sendable where Value: Sendable {}
