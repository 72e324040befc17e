/// A value and the lock that guards it in one: only a closure gets in.
///
/// Closures must be short and call no user code. A result is released outside the lock, because it is
/// returned from there.
public protocol ValueLock: ~Copyable {
  associatedtype Value

  init(_ value: consuming Value)

  /// Runs `body` while nobody writes; several readers may run at once.
  borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R

  /// Runs `body` while nobody else reads or writes.
  borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R
}
