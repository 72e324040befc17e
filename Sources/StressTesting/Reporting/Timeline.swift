import Charts

/// The layout of a recording: lanes, each with its operations in order of time.
package struct Timeline: Sendable {
  /// An operation as a report shows it.
  package struct Entry: Sendable {
    package var lane: Int
    package var call: UInt64
    /// The stamp of the return; `nil` if the operation never returned.
    package var `return`: UInt64?
    /// The operation and its arguments.
    package var input: String
    /// The result, which may be empty; `nil` if the operation never returned.
    package var output: String?

    /// The operation and its result: `append 3 → 1`.
    var description: String {
      let output = output ?? "no return"
      return input + (output.isEmpty ? "" : " → \(output)")
    }
  }

  /// An operation in its lane.
  package struct Bar: Sendable {
    package var operation: Entry
    /// The place in the partial linearization, from 1; `nil` if the operation is not in it.
    package var place: Int?
    /// The stamp of the linearization point; `nil` without a place.
    package var stamp: UInt64?
    /// The state after the operation; `nil` without a place.
    package var state: String?
    /// Whether the operation is pending, and cannot come next.
    package var isStuck: Bool

    /// The mark in a report: ` (2)` for the second place, ` ✗` for an operation that cannot come
    /// next.
    var mark: String { place.map { "  (\($0))" } ?? (isStuck ? "  ✗" : "") }
  }

  /// The names of the lanes: first the threads, then the re-entrant objects.
  package let laneNames: [String]
  /// The operations in the order of their calls.
  package let bars: [Bar]
  /// An upper bound of all stamps.
  package let end: UInt64

  /// Creates the timeline of a recording.
  package init(
    _ recording: Recording, of scenario: Scenario, partialLinearization: PartialLinearization?
  ) {
    let deinits = scenario.reentrant.sorted().map { "deinit of \($0)" }
    let entries = recording.operations.map {
      Entry(
        lane: $0.lane, call: $0.call, return: $0.return, input: "\($0.step)",
        output: $0.answer?.description)
    }
    self.init(
      entries, lanes: scenario.threads.indices.map { "thread \($0)" } + deinits,
      order: partialLinearization)
  }

  /// Creates a timeline.
  ///
  /// - Parameters:
  ///   - entries: The operations, in any order.
  ///   - lanes: The names of the lanes.
  ///   - order: A partial linearization, whose operations are indices into `entries`.
  package init(_ entries: [Entry], lanes: [String], order: PartialLinearization?) {
    laneNames = lanes
    let places = Self.places(order)
    let stuck = Set(order?.stuck.compactMap { $0 } ?? [])
    bars = entries.enumerated().map { index, operation in
      Bar(
        operation: operation, place: places[index]?.place, stamp: places[index]?.point.stamp,
        state: places[index]?.point.state, isStuck: stuck.contains(index))
    }.sorted { $0.operation.call < $1.operation.call }
    end = 1 + (entries.flatMap { [$0.call, $0.return ?? 0] }.max() ?? 0)
  }

  private static func places(
    _ partialLinearization: PartialLinearization?
  ) -> [Int: (place: Int, point: PartialLinearization.Point)] {
    var places: [Int: (place: Int, point: PartialLinearization.Point)] = [:]
    for (index, point) in (partialLinearization?.points ?? []).enumerated() {
      if let operation = point.operation { places[operation] = (index + 1, point) }
    }
    return places
  }
}

extension Timeline {
  /// The rows of a table with one column per lane and one row per event, in order of time. If the
  /// event after a call is the return of the same operation, the two share a row.
  package var rows: [[String]] {
    var rows: [[String]] = []
    for event in events {
      var row = laneNames.map { _ in "" }
      row[event.lane] = event.text
      rows.append(row)
    }
    return rows
  }

  /// The rows below the names of the lanes, as text.
  package var table: [String] {
    let rows = [laneNames] + rows
    let widths = laneNames.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      let text = "  " + cells.joined(separator: "  ")
      return String(text.reversed().drop { $0 == " " }.reversed())
    }
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
      events.append((call, lane, bar.operation.input))
      guard let end = bar.operation.return else { continue }
      let answer = bar.operation.output ?? ""
      events.append((end, lane, "  \(answer.isEmpty ? "returns" : "→ \(answer)")\(bar.mark)"))
    }
    return events.sorted { $0.stamp < $1.stamp }.map { ($0.lane, $0.text) }
  }
}

/// A timeline as inline SVG. The horizontal axis has calls and returns in order of time. The
/// distances between them depend on the texts of the operations, not on durations.
struct TimelineDrawing {
  private let timeline: Timeline
  private let laneHeight = 68.0
  private let barHeight = 30.0
  /// The horizontal position of each stamp.
  private let positions: [Double]

  init(_ timeline: Timeline) {
    self.timeline = timeline
    // The distance between two adjacent stamps: small if no operation runs in between, otherwise
    // enough for the texts of the bars there.
    var widths = [Double](repeating: 18, count: Int(timeline.end) + 1)
    for bar in timeline.bars {
      let events = Int(bar.operation.call)..<Int(bar.operation.return ?? timeline.end)
      let need = Double(bar.operation.description.count) * 7.4 + 30
      for event in events { widths[event] = max(widths[event], need / Double(events.count)) }
    }
    // Whole pixels give sharp edges and short numbers.
    positions = widths.reduce(into: [110]) { $0.append(($0.last! + $1).rounded()) }
  }

  var svg: String {
    let width = position(of: timeline.end) + 24
    let height = Double(timeline.laneNames.count) * laneHeight + 12
    return """
      <div class="scroll"><svg width="\(Int(width))" height="\(Int(height))" role="img" \
      aria-label="The operations of each thread, from call to return">
      \(lanes(width: width))\(order)\(timeline.bars.map(drawing).joined())
      </svg></div>
      """
  }

  private func lanes(width: Double) -> String {
    timeline.laneNames.enumerated().map { lane, name in
      let y = middle(of: lane)
      return "<line class=\"rule\" x1=\"100\" x2=\"\(width)\" y1=\"\(y)\" y2=\"\(y)\"/>"
        + "<text class=\"lane\" x=\"4\" y=\"\(y + 4)\">\(name.escapedForMarkup)</text>"
    }.joined()
  }

  private func drawing(_ bar: Timeline.Bar) -> String {
    let (start, end) = span(of: bar)
    let y = middle(of: bar.operation.lane)
    let kind = bar.isStuck ? "stuckbar" : bar.place == nil ? "bar" : "placed"
    let state = bar.state.map { "\nleaves \($0)" } ?? ""
    let fate = bar.isStuck ? "\ncannot come next" : ""
    let title =
      "\(bar.operation.description)\ncalled at \(bar.operation.call)\(returned(bar))\(state)\(fate)"
    return "<g><title>\(title.escapedForMarkup)</title>"
      + "<rect class=\"\(kind)\" rx=\"5\" x=\"\(start)\" y=\"\(y - barHeight / 2)\" "
      + "width=\"\(end - start)\" height=\"\(barHeight)\"/>"
      + "<text x=\"\(start + 10)\" y=\"\(y + 4)\">\(bar.operation.description.escapedForMarkup)</text>"
      + point(of: bar) + "</g>"
  }

  private func returned(_ bar: Timeline.Bar) -> String {
    bar.operation.return.map { ", returned at \($0)" } ?? ", never returned"
  }

  private func point(of bar: Timeline.Bar) -> String {
    guard let place = bar.place else { return "" }
    let (x, y) = position(of: bar)
    return "<circle class=\"point\" cx=\"\(x)\" cy=\"\(y)\" r=\"9\"/>"
      + "<text class=\"number\" x=\"\(x)\" y=\"\(y + 4)\">\(place)</text>"
  }

  /// The line through the linearization points in order.
  private var order: String {
    let points = timeline.bars.filter { $0.place != nil }.sorted { $0.place! < $1.place! }
      .map { bar in
        let (x, y) = position(of: bar)
        return "\(x),\(y)"
      }
    return "<polyline class=\"order\" points=\"\(points.joined(separator: " "))\"/>"
  }

  /// Returns the position of a linearization point, on the lower edge of its bar.
  private func position(of bar: Timeline.Bar) -> (Double, Double) {
    let (start, end) = span(of: bar)
    let moment = position(of: bar.stamp ?? bar.operation.call)
    let x = min(max(moment, start + 12), end - 12)
    return (x, middle(of: bar.operation.lane) + barHeight / 2)
  }

  private func span(of bar: Timeline.Bar) -> (start: Double, end: Double) {
    let end = bar.operation.return ?? timeline.end
    return (position(of: bar.operation.call), position(of: end) - 6)
  }

  private func position(of stamp: UInt64) -> Double { positions[Int(stamp)] }

  private func middle(of lane: Int) -> Double { (Double(lane) + 0.5) * laneHeight + 6 }
}
