/// A recording laid out for reading: lanes, and in each the operations with their places in time.
package struct Timeline: Sendable {
  package struct Bar: Sendable {
    package var operation: RecordedOperation
    /// Its place in the order that could be found, from 1.
    package var place: Int?
    /// When it takes effect in that order.
    package var stamp: UInt64?
    /// What the state is after it, if it has a place.
    package var state: String?
    /// Whether the search ended because nothing allows it next.
    package var isStuck: Bool

    /// ` (2)` for the second in order, ` ✗` for one that has no place.
    var mark: String { place.map { "  (\($0))" } ?? (isStuck ? "  ✗" : "") }
  }

  package let laneNames: [String]
  /// By their calls.
  package let bars: [Bar]
  /// Stamps are below this.
  package let end: UInt64

  package init(_ recording: Recording, of scenario: Scenario, placement: Placement?) {
    let deinits = scenario.reentrant.sorted().map { "deinit of \($0)" }
    laneNames = scenario.threads.indices.map { "thread \($0)" } + deinits
    let places = Self.places(placement)
    let stuck = Set(placement?.stuck.compactMap { $0 } ?? [])
    bars = recording.operations.enumerated().map { index, operation in
      Bar(
        operation: operation, place: places[index]?.place, stamp: places[index]?.point.stamp,
        state: places[index]?.point.state, isStuck: stuck.contains(index))
    }.sorted { $0.operation.call < $1.operation.call }
    end = 1 + (recording.operations.flatMap { [$0.call, $0.return ?? 0] }.max() ?? 0)
  }

  private static func places(
    _ placement: Placement?
  ) -> [Int: (place: Int, point: Placement.Point)] {
    var places: [Int: (place: Int, point: Placement.Point)] = [:]
    for (index, point) in (placement?.points ?? []).enumerated() {
      if let operation = point.operation { places[operation] = (index + 1, point) }
    }
    return places
  }
}
