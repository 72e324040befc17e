extension Workload {
  /// The named workloads for dictionaries.
  static let dictionaries = [
    dictionary("read-only", .shares(read: 100), "Only looks up keys, which are all there."),
    dictionary(
      "read-heavy", .shares(read: 98, insert: 1, remove: 1),
      "Looks up keys; seldom sets or removes one."),
    dictionary(
      "mixed", .shares(read: 90, insert: 5, remove: 5),
      "Looks up keys; every tenth operation writes."),
    dictionary(
      "exchange", .shares(read: 10, insert: 40, update: 10, remove: 40),
      "Sets, removes and updates keys, with some looking up."),
    dictionary(
      "rapid-grow", .shares(read: 5, insert: 80, update: 10, remove: 5),
      "Grows from empty with new keys, again and again.", .growing),
    dictionary(
      "get-or-insert", .shares(insert: 95, remove: 5),
      "Gets values and inserts those that are missing, as a cache does.", .gettingOrInserting),
    dictionary(
      "leak-monitor", .shares(update: 100),
      "Gets or inserts a type's entry, adds one and counts, as a leak monitor does.", .monitoring),
  ]

  /// Reads with one, ten or fifty per cent of writes, which replace values or set and remove keys.
  static let dictionaryLimits = [("one", 1), ("ten", 10), ("fifty", 50)].flatMap { word, writes in
    let mix = OperationMix.shares(read: 100 - writes, insert: writes)
    return [
      dictionary(
        "replace-\(word)", mix, "Looks up keys, which are all there; \(writes) % set new values.",
        .replacing),
      dictionary(
        "turnover-\(word)", mix,
        "Looks up keys, half of which are there; \(writes) % set and remove, in turn.", .turningOver
      ),
    ]
  }

  private static func dictionary(
    _ name: String, _ mix: OperationMix, _ summary: String, _ behaviour: Behaviour = .steady
  ) -> Workload {
    Workload(name, subject: .dictionary, mix: mix, behaviour: behaviour, summary: summary)
  }
}
