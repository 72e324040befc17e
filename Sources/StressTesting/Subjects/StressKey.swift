/// A dictionary's key: its hash is the same in every process, so that a schedule can be replayed.
package struct StressKey: Hashable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  // Two keys share a hash, so that probes are longer than one cell.
  package var hashValue: Int { number / 2 }

  package func hash(into hasher: inout Hasher) { hasher.combine(number / 2) }

  // A dictionary of the standard library seeds its hashes by its address: the order of its keys, in
  // which `removeAll` releases values whose `deinit` takes steps, would be another each time.
  package func _rawHashValue(seed: Int) -> Int { number / 2 }
}
