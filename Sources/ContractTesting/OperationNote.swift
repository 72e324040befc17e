import Synchronization

/// The operation that one thread of a check performs. The report of a check that never returns
/// names it.
///
/// The fields are relaxed atomics. A lock would order the threads' operations, and so hide data
/// races of the collection from ThreadSanitizer.
final class OperationNote: Sendable {
  /// The address of the operation's name, which is a literal; 0 between operations.
  private let name = Atomic<UInt>(0)
  /// The number of its key, value or object.
  private let number = Atomic<Int>(0)

  /// The operation inside which another one began, if any. `end` restores it.
  struct Outer {
    fileprivate let name: UInt
    fileprivate let number: Int
  }

  /// Records the beginning of an operation. Pass the result to `end`.
  ///
  /// - Parameters:
  ///   - name: The operation, as in `setValue(_:forKey:)`.
  ///   - number: The number of its key, value or object.
  func begin(_ name: StaticString, _ number: Int = .min) -> Outer {
    // All relaxed: only this thread writes, and the report that reads may be one operation late.
    let outer = Outer(
      name: self.name.load(ordering: .relaxed), number: self.number.load(ordering: .relaxed))
    self.number.store(number, ordering: .relaxed)
    self.name.store(UInt(bitPattern: name.utf8Start), ordering: .relaxed)
    return outer
  }

  /// Records the end of an operation, which may have begun inside another one.
  func end(_ outer: Outer) {
    // Both relaxed, as in `begin`.
    number.store(outer.number, ordering: .relaxed)
    name.store(outer.name, ordering: .relaxed)
  }

  /// Runs `body`, and records it as an operation.
  func during<R, F: Error>(
    _ name: StaticString, _ number: Int = .min, _ body: () throws(F) -> R
  ) throws(F) -> R {
    let outer = begin(name, number)
    defer { end(outer) }
    return try body()
  }

  /// The operation and its number; `nil` between operations.
  var text: String? {
    // Both relaxed, as in `begin`.
    guard let address = UnsafePointer<CChar>(bitPattern: name.load(ordering: .relaxed)) else {
      return nil
    }
    let operation = String(cString: address)
    let number = number.load(ordering: .relaxed)
    return number == .min ? operation : "\(operation) of \(number)"
  }
}
