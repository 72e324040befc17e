import Linearizability

/// What is done to one key of a dictionary.
struct KeyOperation: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case get
    case set
    case insert
    case update
    case remove
    /// `removeAll`, as far as it concerns this key.
    case clear
  }

  var kind: Kind
  var key: Int
  var object: Int?
}

/// A dictionary, key by key: a value is the list of objects that were appended since the key was set.
///
/// - get → the value or nil; set; remove → the value it had.
/// - get or insert → the value, or if there is none the object offered, which becomes the value: a loser
///   gets the winner's, and nobody a value that was never offered.
/// - update appends its object → the value before.
/// - A snapshot reads each key at some moment of its call, and `removeAll` removes each key at some
///   moment of its call; not all at the same. So a key that is present throughout appears, one that is
///   absent throughout does not, and no value appears that the key did not have.
struct TrackedDictionaryModel: DeterministicModel {
  typealias State = [Int]?
  typealias Input = KeyOperation
  typealias Output = [Int]?

  var initialState: State { nil }

  func partition(of input: KeyOperation) -> Int { input.key }

  func apply(_ input: KeyOperation, to state: inout State, returning output: Output?) -> Bool {
    let expected: State
    switch input.kind {
    case .get:
      expected = state
    case .set:
      state = [input.object!]
      return true
    case .insert:
      state = state ?? [input.object!]
      expected = state
    case .update:
      expected = state
      state = (state ?? []) + [input.object!]
    case .remove:
      expected = state
      state = nil
    case .clear:
      state = nil
      return true
    }
    guard let output else { return true }
    return output == expected
  }
}
