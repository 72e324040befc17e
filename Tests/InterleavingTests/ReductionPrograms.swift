#if Interleaving
  import CShims
  import Interleaving
  import Primitives

  /// Words and locks that the threads of a small program share.
  final class SharedWords: Sendable {
    private final class Word: Sendable {
      let value = Atomic(0)
    }

    private let words: [Word]

    init(_ count: Int) {
      words = (0..<count).map { _ in Word() }
    }

    subscript(_ word: Int) -> Int {
      get { words[word].value.load(ordering: .sequentiallyConsistent) }
      set { words[word].value.store(newValue, ordering: .sequentiallyConsistent) }
    }

    func load(_ word: Int, _ ordering: AtomicLoadOrdering) -> Int {
      words[word].value.load(ordering: ordering)
    }

    func store(_ value: Int, in word: Int, _ ordering: AtomicStoreOrdering) {
      words[word].value.store(value, ordering: ordering)
    }

    func add(_ value: Int, to word: Int, _ ordering: AtomicUpdateOrdering) -> Int {
      words[word].value.wrappingAdd(value, ordering: ordering).oldValue
    }

    func compareExchange(
      _ word: Int, _ expected: Int, _ desired: Int, _ ordering: AtomicUpdateOrdering
    ) -> (exchanged: Bool, original: Int) {
      words[word].value.compareExchange(expected: expected, desired: desired, ordering: ordering)
    }

    /// The address by which the scheduler knows the word, and the lock with the same number.
    func address(_ word: Int) -> UnsafeRawPointer {
      withUnsafePointer(to: words[word].value) { UnsafeRawPointer($0) }
    }

    /// Suspends the caller until a wake, unless the word is not zero.
    func wait(whileZero word: Int) {
      let address = address(word).assumingMemoryBound(to: UInt64.self)
      cws_scheduler_get().pointee.wait(address, 0, cws_site())
    }

    func wakeOne(_ word: Int) {
      let address = address(word).assumingMemoryBound(to: UInt64.self)
      cws_scheduler_get().pointee.wake_one(address, cws_site())
    }

    func locked(_ lock: Int, exclusively: Bool = true, _ body: () -> Void) {
      let lock = VirtualLock.acquire(address(lock), exclusively: exclusively)
      body()
      lock?.release()
    }

    /// Runs `body` with the lock if it is free; returns whether it was.
    func attempt(_ lock: Int, _ body: () -> Void) -> Bool {
      guard let attempt = VirtualLock.acquireIfAvailable(address(lock)), let lock = attempt.lock
      else { return false }
      body()
      lock.release()
      return true
    }
  }

  /// A program with a known number of Mazurkiewicz traces.
  struct ReductionProgram: Sendable, CustomStringConvertible {
    typealias Body = @Sendable (SharedWords) -> Void

    var description: String
    var traces: Int
    var memory = MemoryModel.sequentiallyConsistent
    var scenario: @Sendable (Execution) -> Void

    init(
      _ description: String, traces: Int, memory: MemoryModel = .sequentiallyConsistent, words: Int,
      threads: [Body]
    ) {
      self.description = description
      self.traces = traces
      self.memory = memory
      scenario = { execution in
        let shared = SharedWords(words)
        for thread in threads { execution.thread { thread(shared) } }
        execution.runThreads()
      }
    }

    /// Explores the program until the search is exhausted or has run `limit` executions.
    func explore(_ strategy: Exploration.Strategy, limit: Int = 10_000_000) -> Outcome {
      Exploration(strategy: strategy, seed: 1, executions: limit, memory: memory).run(scenario)
    }
  }

  extension ReductionProgram {
    static let all = [
      writers(2), writers(4), independentWriters(8), readers(3), readers(6), mutex(threads: 2),
      mutex(threads: 3), mutex(threads: 4), storeBuffering(.sequentiallyConsistent),
      storeBuffering(.storeBuffers), lastZero(5), lastZero(8), fileSystem(14), fileSystem(18),
      indexer(11), indexer(12), indexer(13),
    ]

    /// Each order of the stores is a trace.
    static func writers(_ count: Int) -> Self {
      Self(
        "\(count) writers of one variable", traces: (1...count).reduce(1, *), words: 1,
        threads: (1...count).map { value -> Body in { words in words[0] = value } })
    }

    static func independentWriters(_ count: Int) -> Self {
      Self(
        "\(count) writers of \(count) variables", traces: 1, words: count,
        threads: (0..<count).map { word -> Body in { words in words[word] = 1 } })
    }

    /// Each reader loads before the store or after it (Abdulla and others, 2014: readers).
    static func readers(_ count: Int) -> Self {
      let reader: Body = { words in _ = words[0] }
      let writer: Body = { words in words[0] = 1 }
      return Self(
        "\(count) readers and a writer", traces: 1 << count, words: 1,
        threads: [writer] + Array(repeating: reader, count: count))
    }

    /// Each order of the critical sections is a trace.
    static func mutex(threads count: Int) -> Self {
      let adder: Body = { words in words.locked(0) { words[1] += 1 } }
      return Self(
        "a mutex, \(count) threads", traces: (1...count).reduce(1, *), words: 2,
        threads: Array(repeating: adder, count: count))
    }

    /// One load at least follows the other thread's store, unless stores are buffered.
    static func storeBuffering(_ memory: MemoryModel) -> Self {
      func thread(_ mine: Int, _ other: Int) -> Body {
        { words in
          words.store(1, in: mine, .relaxed)
          _ = words.load(other, .relaxed)
        }
      }
      return Self(
        "store buffering, \(memory.rawValue)",
        traces: memory == .sequentiallyConsistent ? 3 : 4, memory: memory, words: 2,
        threads: [thread(0, 1), thread(1, 0)])
    }

    /// Threads add 1 to their predecessor's element; a reader searches the last zero (Abdulla and
    /// others, 2014: lastzero, with 64, 3328 and 147456 traces for 5, 10 and 15).
    static func lastZero(_ count: Int) -> Self {
      let reader: Body = { words in
        var index = count
        while words[index] != 0 { index -= 1 }
      }
      return Self(
        "lastzero(\(count))", traces: (count + 3) << (count - 2), words: count + 1,
        threads: [reader]
          + (1...count).map { index -> Body in { words in words[index] = words[index - 1] + 1 } })
    }

    /// Threads allocate a block for their inode (Flanagan and Godefroid, 2005: file system). From
    /// 14 threads on, each one competes with another for a block.
    static func fileSystem(_ count: Int) -> Self {
      let (inodes, blocks) = (32, 26)
      // Words and their locks: inodes first, then blocks.
      return Self(
        "file system, \(count) threads", traces: 1 << max(0, count - 13), words: inodes + blocks,
        threads: (0..<count).map { thread -> Body in
          { words in
            let inode = thread % inodes
            words.locked(inode) {
              guard words.load(inode, .relaxed) == 0 else { return }
              var block = inode * 2 % blocks
              var isFound = false
              while !isFound {
                words.locked(inodes + block) {
                  isFound = words.load(inodes + block, .relaxed) == 0
                  guard isFound else { return }
                  words.store(1, in: inodes + block, .relaxed)
                  words.store(block + 1, in: inode, .relaxed)
                }
                block = (block + 1) % blocks
              }
            }
          }
        })
    }

    /// Threads insert four messages each into a hash table (Flanagan and Godefroid, 2005: indexer).
    /// From 12 threads on, there are collisions.
    static func indexer(_ count: Int) -> Self {
      let size = 128
      return Self(
        "indexer, \(count) threads", traces: count < 12 ? 1 : 1 << (3 * (count - 11)), words: size,
        threads: (0..<count).map { thread -> Body in
          { words in
            for message in 1...4 {
              let word = message * 11 + thread
              var slot = word * 7 % size
              while !words.compareExchange(slot, 0, word, .sequentiallyConsistent).exchanged {
                slot = (slot + 1) % size
              }
            }
          }
        })
    }
  }
#endif
