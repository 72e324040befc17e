/// Why leaks could not be looked for.
struct LeakRunError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
