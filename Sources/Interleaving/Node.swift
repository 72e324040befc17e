#if Interleaving
  import CShims

  /// A piece of memory that the code under test asked for as a node.
  ///
  /// Its memory is not used again before the execution ends.
  struct Node {
    var offset: Int
    var byteCount: Int
    var isLive: Bool
    /// The thread that allocated it, and when; what is in it is initialized plainly after that.
    var allocationLane: Int32
    var allocationTime: UInt32
    var allocationStep: Int32
    var reclaimStep: Int32
    /// When each thread used it last, and in which step.
    var accesses: Clock
    var accessSteps: SIMD8<Int32>
  }

  /// A plainly accessed word, and who accessed it.
  struct PlainWord {
    var writeLane: Int32 = -1
    var writeTime: UInt32 = 0
    var writeStep: Int32 = 0
    var reads = Clock()
    var readSteps = SIMD8<Int32>()
  }

  /// An atomic word, a lock, or whatever else threads meet at.
  struct Location {
    /// What whoever acquires the value in memory learns.
    var clock = Clock()
    /// The thread in whose buffer an update of this word waits; -1 if none.
    var updater: Int32 = -1
    /// Of a lock: the thread that holds it alone, -1 if none, and how many share it.
    var owner: Int32 = -1
    var sharers: Int32 = 0
  }

  /// A word of a virtual thread's own.
  struct VirtualThread {
    enum State: UInt8 { case unused, runnable, spinning, waiting, suspended, finished }
    enum Wait: UInt8 { case none, lock, word, thread }

    // First, since the switch is given its address.
    var stackPointer: UnsafeMutableRawPointer?
    var stack: UnsafeMutableRawPointer?
    var clock = Clock()
    /// Its place among the runnable; -1 if it is not runnable.
    var place: Int32 = -1
    var bufferCount: Int32 = 0
    var updateCount: Int32 = 0
    var state = State.unused
    var wait = Wait.none
    /// It has taken no step yet; its first one needs no decision beyond that which started it.
    var isFresh = true
    var waitAddress: UInt = 0
    var priority: UInt64 = 0
    var bufferPriority: UInt64 = 0
    var locals = cws_thread_locals()
    var exitHandler: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    var exitValue: UnsafeMutableRawPointer?
  }
#endif
