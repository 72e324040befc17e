import CShims

/// Sleeping on a word and being woken; the word never moves.
public enum Futex {
  public typealias Word = UnsafeMutablePointer<Atomic<UInt32>>

  /// Sleeps while the word is `expected`; may return early for no reason.
  ///
  /// Looks at the word and goes to sleep in one step, after everything that the caller did before.
  public static func wait(
    on word: Word, while expected: UInt32, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) {
    ManagedScheduler.ask {
      $0.pointee.wait(managed(word), UInt64(expected), cws_site(file, function, line))
    } ?? cws_futex_wait(address(of: word), expected)
  }

  public static func wakeOne(
    on word: Word, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) {
    ManagedScheduler.ask {
      $0.pointee.wake_one(managed(word), cws_site(file, function, line))
    } ?? cws_futex_wake_one(address(of: word))
  }

  public static func wakeAll(
    on word: Word, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) {
    ManagedScheduler.ask {
      $0.pointee.wake_all(managed(word), cws_site(file, function, line))
    } ?? cws_futex_wake_all(address(of: word))
  }

  private static func address(of word: Word) -> UnsafePointer<UInt32> {
    UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self)
  }

  /// The word as a managed scheduler has it, whose atomics are all of 64 bits.
  private static func managed(_ word: Word) -> UnsafePointer<UInt64> {
    UnsafeRawPointer(word).assumingMemoryBound(to: UInt64.self)
  }
}
