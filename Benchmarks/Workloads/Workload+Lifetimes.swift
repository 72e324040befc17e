extension Workload {
  /// Weak arrays whose elements die, one after the other, at once, or before anybody looks.
  static let weakArrayLifetimes =
    [("ten", 10), ("fifty", 50), ("ninety", 90)].map { word, share in
      lifetime(
        "dead-\(word)", .shares(read: 50, iterate: 50),
        "Looks for objects and takes snapshots; \(share) % of the entries are dead.",
        deadShare: share)
    }
    + [("one", 1), ("ten", 10), ("fifty", 50)].map { word, drops in
      lifetime(
        "drop-\(word)", .shares(read: 90 - drops, insert: drops, iterate: 10),
        "Looks for objects; \(drops) % of the operations append one while another dies.",
        .churning)
    } + [
      lifetime(
        "drop-storm", .shares(read: 10, insert: 80, update: 1, iterate: 9),
        "As churn, but all objects of a worker die at once, now and then.", .storming),
      lifetime(
        "re-register", .shares(insert: 50, iterate: 50),
        "Removes objects and appends them again, between snapshots.", .reregistering),
      lifetime(
        "iterate-dying", .shares(insert: 50, iterate: 50),
        "Calls a method of every object, while that lets one of them die.", .dying),
    ]

  private static func lifetime(
    _ name: String, _ mix: OperationMix, _ summary: String, _ behaviour: Behaviour = .steady,
    deadShare: Int = 0
  ) -> Workload {
    Workload(
      name, subject: .weakArray, mix: mix, behaviour: behaviour, deadShare: deadShare,
      summary: summary)
  }
}
