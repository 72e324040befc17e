/// The validated instances of every class.
protocol Ledger: AnyObject, Sendable {
  /// Enters `object`, once however often, and counts its class in the same atomic step; returns how many
  /// live if there are more than `max`, else nil.
  func add(_ object: AnyObject, max: Int) -> Int?

  /// How many entered instances of exactly `type` live.
  func liveCount(of type: AnyClass) -> Int
}
