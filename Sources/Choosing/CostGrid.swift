// The costs of one workload at all measured numbers of threads and entries. Between the points it
// interpolates the logarithms of the costs, linearly in the logarithms of threads and entries:
// first over the entries measured with the next smaller and the next larger number of threads, then
// between these two. All points of a model have the same number of cores, so the number of threads
// represents the ratio of threads to cores.

import Foundation
import WeakCollections

/// The measured costs of one workload.
struct CostGrid: Hashable, Sendable {
  /// The common properties of all points; threads and entries are those of the first point.
  let workload: GridPoint
  let shares: OperationShares
  private let rows: [Row]

  /// One number of threads, with the measured numbers of entries in ascending order.
  private struct Row: Hashable, Sendable {
    let threads: Double
    let cells: [Cell]
  }

  /// One point.
  private struct Cell: Hashable, Sendable {
    let point: GridPoint
    let entries: Double
    /// The measured costs. The exponentials of the logarithms would differ in the last digit.
    let costs: Objectives
    let logarithms: Objectives

    init(_ point: GridPoint, _ costs: [MeasuredCost]) {
      self.point = point
      entries = log2(Double(point.entries))
      self.costs = Objectives { CostLanes(costs, of: $0) }
      logarithms = Objectives { CostLanes(costs, of: $0).logarithms }
    }
  }

  /// A value for each objective.
  private struct Objectives: Hashable, Sendable {
    private let throughput, p99, bytes: CostLanes

    init(_ lanes: (CostObjective) -> CostLanes) {
      (throughput, p99, bytes) = (lanes(.throughput), lanes(.p99), lanes(.bytes))
    }

    subscript(objective: CostObjective) -> CostLanes {
      switch objective {
      case .throughput: throughput
      case .p99: p99
      case .bytes: bytes
      }
    }
  }

  /// Creates a grid.
  ///
  /// - Precondition: `costs` is not empty, and all costs are of one workload.
  init(_ costs: [MeasuredCost]) {
    workload = costs[0].point
    shares = workload.shares
    let cells = Dictionary(grouping: costs, by: \.point).map { Cell($0, $1) }
    rows = Dictionary(grouping: cells, by: \.point.threads).map { threads, cells in
      Row(threads: log2(Double(threads)), cells: cells.sorted { $0.entries < $1.entries })
    }.sorted { $0.threads < $1.threads }
  }

  /// Returns the place of the given logarithms of threads and entries.
  func place(threads: Double, entries: Double) -> GridPlace {
    let row = GridBracket(of: threads, among: rows.count) { rows[$0].threads }
    return GridPlace(
      row: row, lower: place(of: entries, in: row.lower), upper: place(of: entries, in: row.upper))
  }

  /// Returns the place of the nearest measured point whose costs `isWanted` accepts; nil if there
  /// is none.
  func nearestPlace(
    threads: Double, entries: Double, where isWanted: ((CostObjective) -> CostLanes) -> Bool
  ) -> GridPlace? {
    var nearest: GridPlace?
    for row in rows.indices {
      for cell in rows[row].cells.indices
      where isWanted({ rows[row].cells[cell].costs[$0] }) {
        let column = GridBracket(only: cell, excess: entries - rows[row].cells[cell].entries)
        let place = GridPlace(
          row: GridBracket(only: row, excess: threads - rows[row].threads), lower: column,
          upper: column)
        if place.excess < nearest?.excess ?? .infinity { nearest = place }
      }
    }
    return nearest
  }

  /// Returns the costs at a place.
  func costs(at place: GridPlace, of objective: CostObjective) -> CostLanes {
    let (row, column) = (place.row, place.lower)
    if row.fraction == 0, column.fraction == 0 {
      return rows[row.lower].cells[column.lower].costs[objective]
    }
    return CostLanes.between(
      logarithms(column, inRow: row.lower, objective),
      logarithms(place.upper, inRow: row.upper, objective), at: row.fraction
    ).exponentials
  }

  /// Returns the points on which the costs at a place are based.
  func points(at place: GridPlace) -> [GridPoint] {
    let cells = [
      (place.row.lower, place.lower.lower), (place.row.lower, place.lower.upper),
      (place.row.upper, place.upper.lower), (place.row.upper, place.upper.upper),
    ]
    return Set(cells.map { rows[$0].cells[$1].point }).sorted()
  }

  private func place(of entries: Double, in row: Int) -> GridBracket {
    GridBracket(of: entries, among: rows[row].cells.count) { rows[row].cells[$0].entries }
  }

  private func logarithms(
    _ column: GridBracket, inRow row: Int, _ objective: CostObjective
  ) -> CostLanes {
    let cells = rows[row].cells
    return .between(
      cells[column.lower].logarithms[objective], cells[column.upper].logarithms[objective],
      at: column.fraction)
  }
}

/// A place among the points of a grid: between two numbers of threads and, for each of them,
/// between two numbers of entries.
struct GridPlace: Hashable, Sendable {
  var row: GridBracket
  var lower: GridBracket
  var upper: GridBracket

  /// The distance beyond the measured numbers of threads, in doublings.
  var threadsExcess: Double { row.excess }

  /// The distance beyond the measured numbers of entries, in doublings.
  var entriesExcess: Double {
    abs(lower.excess) > abs(upper.excess) ? lower.excess : upper.excess
  }

  /// The distance from the grid.
  var excess: Double { hypot(threadsExcess, entriesExcess) }
}

/// The two measured values around a value, by their places in ascending order.
struct GridBracket: Hashable, Sendable {
  var lower: Int
  var upper: Int
  /// The fraction of the way from the lower to the upper value, from 0 to 1.
  var fraction: Double
  /// The distance beyond the last value; negative if it is before the first value.
  var excess: Double

  /// Creates the bracket of a single value, which is `excess` away from the value in question.
  init(only place: Int, excess: Double = 0) {
    (lower, upper, fraction, self.excess) = (place, place, 0, excess)
  }

  /// Creates the bracket of `value` among `count` values in ascending order. Clamps a value outside
  /// their range and stores its distance in `excess`.
  init(of value: Double, among count: Int, at values: (Int) -> Double) {
    if value <= values(0) {
      self.init(only: 0, excess: value - values(0))
      return
    }
    var upper = 1
    while upper < count, values(upper) < value { upper += 1 }
    guard upper < count else {
      self.init(only: count - 1, excess: value - values(count - 1))
      return
    }
    self.init(only: upper)
    guard value < values(upper) else { return }
    lower = upper - 1
    fraction = (value - values(lower)) / (values(upper) - values(lower))
  }
}

/// The distance and direction of a question from the measured grid. Outside the grid, the answer is
/// that of the nearest measured place: nothing is extrapolated.
public struct GridExcess: Hashable, Sendable, Codable {
  /// The distance in threads, in doublings; negative for fewer threads than were measured.
  public var threads = 0.0
  /// The distance in entries, in doublings; negative for fewer entries than were measured.
  public var entries = 0.0
  /// The fraction of the operations that would have to change for the mix to lie between measured
  /// mixes.
  public var shares = 0.0
  /// The name of a workload that was not measured. The answer is then that for its mix.
  public var workload: String?
  /// The difference between the live fraction of the measurements, which is 1, and that of the
  /// question.
  public var liveFraction = 0.0
  /// The fraction of the operations that let an entry die. In the measurements of mixes it is 0.
  public var churn = 0.0
  /// The name of a key distribution that was not measured.
  public var keyDistribution: String?

  /// Creates the excess of a question within the grid.
  public init() {}

  /// The distance in doublings up to which a question counts as measured.
  static var doublingsAllowed: Double { 0.5 }
  /// The fraction of the operations or entries up to which a difference counts as measured.
  static var sharesAllowed: Double { 0.05 }

  /// Whether the question lies within the measured grid.
  public var isWithin: Bool { self == GridExcess() }

  /// Adds the distance of a place from the grid, unless it is negligible.
  mutating func add(_ place: GridPlace) {
    Self.raise(&threads, to: place.threadsExcess)
    Self.raise(&entries, to: place.entriesExcess)
  }

  mutating func addShares(_ distance: Double) {
    if distance > Self.sharesAllowed { shares = max(shares, distance) }
  }

  mutating func addDeaths(liveFraction: Double, churn: Double) {
    if 1 - liveFraction > Self.sharesAllowed { self.liveFraction = 1 - liveFraction }
    if churn > Self.sharesAllowed { self.churn = churn }
  }

  /// Replaces `doublings` by a distance that is larger, and larger than what is negligible.
  private static func raise(_ doublings: inout Double, to distance: Double) {
    if abs(distance) > max(doublingsAllowed, abs(doublings)) { doublings = distance }
  }
}

extension GridExcess: CustomStringConvertible {
  /// A text such as "8 times the measured threads"; empty within the grid.
  public var description: String {
    var parts: [String] = []
    if threads != 0 { parts.append("\(Self.factor(threads)) the measured threads") }
    if entries != 0 { parts.append("\(Self.factor(entries)) the measured entries") }
    if shares > 0 {
      parts.append("\(Self.percent(shares)) of the operations match no measured mix")
    }
    if let workload { parts.append("the workload \(workload) was not measured") }
    if liveFraction > 0 {
      parts.append("\(Self.percent(liveFraction)) fewer live entries than measured")
    }
    if churn > 0 {
      parts.append(
        "\(Self.percent(churn)) of the operations let an entry die, unlike in any measured mix")
    }
    if let keyDistribution { parts.append("\(keyDistribution) keys were not measured") }
    return parts.joined(separator: "; ")
  }

  private static func factor(_ doublings: Double) -> String {
    let factor = exp2(abs(doublings))
    let digits = (factor * 10).rounded() / 10
    let text = digits == digits.rounded() && digits < 1e15 ? "\(Int(digits))" : "\(digits)"
    return doublings > 0 ? "\(text) times" : "1/\(text) of"
  }

  private static func percent(_ fraction: Double) -> String {
    "\(Int((fraction * 100).rounded())) %"
  }
}
