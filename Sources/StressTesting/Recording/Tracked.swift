/// An object in a collection under test: an element of a weak array, a value of a dictionary.
package final class Tracked: Sendable {
  package let number: Int
  /// The objects that were appended to make this value, itself last; for dictionaries.
  package let list: [Int]
  private let ledger: Ledger
  private let reentry: Reentry?

  init(_ number: Int, after list: [Int] = [], in ledger: Ledger, reentry: Reentry? = nil) {
    self.number = number
    self.list = list + [number]
    self.ledger = ledger
    self.reentry = reentry
    ledger.noteBirth(of: number)
  }

  deinit {
    ledger.noteDeath(of: number)
    reentry?.run(number)
  }
}
