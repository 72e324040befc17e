/// The strong references that one thread of a scenario has.
// @unchecked: touched by that thread alone, and by nobody else before it starts or until it has ended.
final class Holdings: @unchecked Sendable {
  private var objects: [Tracked?]

  init(_ objects: [Tracked?]) { self.objects = objects }

  func object(_ number: Int) -> Tracked? { objects[number] }

  /// Lets go of an object and hands it over.
  func take(_ number: Int) -> Tracked? {
    let object = objects[number]
    objects[number] = nil
    return object
  }

  func holds(_ number: Int) -> Bool { objects[number] != nil }

  func releaseAll() { objects = [] }
}
