/// An object that a census counts.
package final class Counted: Sendable {
  package let number: Int
  private let tally: Census.Tally

  package init(_ number: Int = 0, in tally: Census.Tally) {
    self.number = number
    self.tally = tally
    tally.noteBirth()
  }

  /// Counted in the first tally.
  package convenience init(_ number: Int = 0, in census: Census) {
    self.init(number, in: census.tallies[0])
  }

  deinit { tally.noteDeath() }
}
