/// A dictionary's key: its hash is the same in every process, so that a schedule can be replayed.
package struct StressKey: Hashable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  // Two keys share a hash, so that chains have more than one node.
  package var hashValue: Int { number / 2 }

  package func hash(into hasher: inout Hasher) { hasher.combine(number / 2) }
}
