import Threading

/// Integers to integers: the number is the key, the content the value.
struct IntegerEntries: DictionaryEntries {
  init(range: Int, tally: Census.Tally) {}

  func copy(for tally: Census.Tally) -> IntegerEntries { self }
}
