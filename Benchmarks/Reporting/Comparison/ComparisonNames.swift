/// What people call the two sides: their files, or the base's backend.
package struct ComparisonNames: Hashable, Sendable {
  package var base: String
  package var candidate: String

  package init(base: String, candidate: String) {
    self.base = base
    self.candidate = candidate
  }
}
