import Charts

/// A timeline as inline SVG. Time is the order of calls and returns, not nanoseconds: equal steps.
struct TimelineDrawing {
  private let timeline: Timeline
  private let laneHeight = 68.0
  private let barHeight = 30.0
  /// Where each stamp is.
  private let positions: [Double]

  init(_ timeline: Timeline) {
    self.timeline = timeline
    // Between two stamps: nothing much where no operation runs, else what the texts in its bars need.
    var widths = [Double](repeating: 18, count: Int(timeline.end) + 1)
    for bar in timeline.bars {
      let events = Int(bar.operation.call)..<Int(bar.operation.return ?? timeline.end)
      let need = Double(bar.operation.description.count) * 7.4 + 30
      for event in events { widths[event] = max(widths[event], need / Double(events.count)) }
    }
    // Whole pixels: sharp edges, and short numbers.
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

  /// A line through the points in their order.
  private var order: String {
    let points = timeline.bars.filter { $0.place != nil }.sorted { $0.place! < $1.place! }
      .map { bar in
        let (x, y) = position(of: bar)
        return "\(x),\(y)"
      }
    return "<polyline class=\"order\" points=\"\(points.joined(separator: " "))\"/>"
  }

  /// On the lower edge of the bar, at the moment when the operation takes effect.
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
