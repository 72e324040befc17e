// What the tests of weak references refer to.

protocol Named: AnyObject, Sendable {
  var name: String { get }
}
protocol Aged: AnyObject, Sendable {
  var age: Int { get }
}
protocol Sized: AnyObject, Sendable {
  var size: Int { get }
}
protocol Source<Output>: AnyObject, Sendable {
  associatedtype Output
  func next() -> Output
}
/// Not bound to `AnyObject`.
protocol Unbound {}

// @unchecked: immutable, but a class with subclasses cannot be checked.
class Base: @unchecked Sendable {
  let label: String
  init(_ label: String) { self.label = label }
}

// @unchecked: restated from `Base`; immutable.
final class Person: Base, Named, Aged, Sized, Source, Unbound, @unchecked Sendable {
  var name: String { label }
  let age = 41
  let size = 180
  func next() -> Int { 42 }
}

actor Clerk {
  let number = 7
}
