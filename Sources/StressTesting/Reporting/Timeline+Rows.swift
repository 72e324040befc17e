extension Timeline {
  /// A table of one column a lane and one row an event, in the order of time. A call whose return is the
  /// next event shares its row.
  package var rows: [[String]] {
    var rows: [[String]] = []
    for event in events {
      var row = laneNames.map { _ in "" }
      row[event.lane] = event.text
      rows.append(row)
    }
    return rows
  }

  private var events: [(lane: Int, text: String)] {
    var events: [(stamp: UInt64, lane: Int, text: String)] = []
    let stamps = Set(bars.flatMap { [$0.operation.call, $0.operation.return].compactMap { $0 } })
      .sorted()
    let ranks = Dictionary(uniqueKeysWithValues: stamps.enumerated().map { ($1, $0) })
    for bar in bars {
      let (call, lane) = (bar.operation.call, bar.operation.lane)
      if let end = bar.operation.return, ranks[end] == ranks[call]! + 1 {
        events.append((call, lane, bar.operation.description + bar.mark))
        continue
      }
      events.append((call, lane, "\(bar.operation.step)"))
      guard let end = bar.operation.return else { continue }
      let answer = bar.operation.answer.map(\.description) ?? ""
      events.append((end, lane, "  \(answer.isEmpty ? "returns" : "→ \(answer)")\(bar.mark)"))
    }
    return events.sorted { $0.stamp < $1.stamp }.map { ($0.lane, $0.text) }
  }
}
