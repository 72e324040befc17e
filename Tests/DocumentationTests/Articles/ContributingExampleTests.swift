// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import Testing
import WeakCollections

/// A value behind Foundation's lock; readers exclude each other too.
public struct FoundationLock<Value>: ValueLock, ~Copyable {
  private let lock = NSLock()
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
    lock.lock()
    defer { lock.unlock() }
    return try body(value.pointee)
  }

  public borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value.pointee)
  }
}

// @unchecked: the value is reached only through the lock.
extension FoundationLock: @unchecked Sendable where Value: Sendable {}

/// The weak array behind Foundation's lock.
public typealias FoundationLockWeakArray<Element> =
  LockedWeakArray<Element, FoundationLock<WeakArrayStorage<Element>>>

/// The dictionary behind Foundation's lock.
public typealias FoundationLockDictionary<Key: Hashable, Value> =
  LockedDictionary<Key, Value, FoundationLock<[Key: Value]>>

/// The weak set behind Foundation's lock.
public typealias FoundationLockWeakSet<Element> =
  LockedWeakSet<Element, FoundationLock<WeakSet<Element>>>

/// The dictionary with weak values behind Foundation's lock.
public typealias FoundationLockWeakValueDictionary<Key: Hashable, Value> =
  LockedWeakValueDictionary<Key, Value, FoundationLock<WeakValueDictionary<Key, Value>>>

/// Runs the worked example of `CONTRIBUTING.md`.
struct ContributingExampleTests {
  private final class Listener: Sendable {}

  @Test func `a weak array with the example's lock holds its elements weakly`() {
    let listeners = FoundationLockWeakArray<Listener>()
    let listener = Listener()
    listeners.append(listener)
    listeners.append(Listener())
    #expect(listeners.all.map(ObjectIdentifier.init) == [ObjectIdentifier(listener)])
  }

  @Test func `a dictionary with the example's lock updates a value`() {
    let visits = FoundationLockDictionary<String, Int>()
    visits.update("home") { $0 = ($0 ?? 0) + 1 }
    #expect(visits["home"] == 1)
  }
}
