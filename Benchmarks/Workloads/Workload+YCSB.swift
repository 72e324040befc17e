extension Workload {
  /// YCSB's core workloads, on one dictionary instead of a store of records.
  ///
  /// A record is a value: to update one sets a new value, and F's read-modify-write is `update`. D and E
  /// insert new keys, and remove the oldest for each, so that the dictionary stays as large as it was. A
  /// hash table has no order to scan: E gets as many keys at once as YCSB scans on average.
  static let ycsb = [
    ycsb(
      "a", .shares(read: 50, insert: 50), .replacing,
      "Update heavy: half of all operations set values."
    ),
    ycsb(
      "b", .shares(read: 95, insert: 5), .replacing,
      "Read mostly: one operation in twenty sets a value."),
    ycsb("c", .shares(read: 100), .steady, "Read only."),
    ycsb(
      "d", .shares(read: 95, insert: 5), .sliding,
      "Read latest: looks up what was inserted last, and inserts new keys.",
      .latest(theta: KeyDistribution.standardTheta)),
    ycsb(
      "e", .shares(insert: 5, iterate: 95), .sliding,
      "Short ranges: gets \(keysOfScan) neighbouring keys at once, for want of scans."),
    ycsb(
      "f", .shares(read: 50, update: 50), .steady,
      "Read-modify-write: half of all operations are `update`."),
  ]

  /// A scan of YCSB's has 1 to 100 records, each number as likely.
  public static let keysOfScan = 50

  private static func ycsb(
    _ letter: String, _ mix: OperationMix, _ behaviour: Behaviour, _ summary: String,
    _ keys: KeyDistribution = .scrambledZipfian(theta: KeyDistribution.standardTheta)
  ) -> Workload {
    Workload(
      "ycsb-\(letter)", subject: .dictionary, mix: mix, behaviour: behaviour, keys: keys,
      summary: summary)
  }
}
