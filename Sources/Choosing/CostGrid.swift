// The costs of one workload, at all threads and sizes where it was measured. Between the points it interpolates
// the logarithms of the costs, linearly in the logarithms of threads and size: first over the sizes measured with
// the next fewer and the next more threads, then between these two. The cores are the same for every point of a
// model, so that threads stand for threads : cores.

import Foundation
import WeakCollections

/// The measured costs of one workload.
struct CostGrid: Hashable, Sendable {
  /// What all its points have in common; threads and size are those of the first.
  let workload: GridPoint
  let shares: OperationShares
  private let rows: [Row]

  /// One number of threads, with the sizes measured, in ascending order.
  private struct Row: Hashable, Sendable {
    let threads: Double
    let cells: [Cell]
  }

  /// One point; the costs are logarithms.
  private struct Cell: Hashable, Sendable {
    let point: GridPoint
    let size: Double
    var throughput = CostLanes.unmeasured
    var p99 = CostLanes.unmeasured
    var bytes = CostLanes.unmeasured

    init(_ point: GridPoint, _ costs: [MeasuredCost]) {
      self.point = point
      size = log2(Double(point.size))
      for cost in costs {
        throughput[cost.backend.lane] = cost.cost(of: .throughput)
        p99[cost.backend.lane] = cost.cost(of: .p99)
        bytes[cost.backend.lane] = cost.cost(of: .bytes)
      }
      throughput = throughput.logarithms
      p99 = p99.logarithms
      bytes = bytes.logarithms
    }

    func costs(of objective: CostObjective) -> CostLanes {
      switch objective {
      case .throughput: throughput
      case .p99: p99
      case .bytes: bytes
      }
    }
  }

  /// - Precondition: there is at least one cost, and all are of one workload.
  init(_ costs: [MeasuredCost]) {
    workload = costs[0].point
    shares = workload.shares
    let cells = Dictionary(grouping: costs, by: \.point).map { Cell($0, $1) }
    rows = Dictionary(grouping: cells, by: \.point.threads).map { threads, cells in
      Row(threads: log2(Double(threads)), cells: cells.sorted { $0.size < $1.size })
    }.sorted { $0.threads < $1.threads }
  }

  /// Where the logarithms of threads and size lie.
  func place(threads: Double, size: Double) -> GridPlace {
    let row = GridBracket(of: threads, among: rows.count) { rows[$0].threads }
    return GridPlace(
      row: row, lower: place(of: size, in: row.lower), upper: place(of: size, in: row.upper))
  }

  /// The place of the measured point nearest to it where `isWanted` holds of the costs; nil without one.
  func nearestPlace(
    threads: Double, size: Double, of objective: CostObjective, where isWanted: (CostLanes) -> Bool
  ) -> GridPlace? {
    var nearest: GridPlace?
    for row in rows.indices {
      for cell in rows[row].cells.indices
      where isWanted(rows[row].cells[cell].costs(of: objective)) {
        let column = GridBracket(only: cell, excess: size - rows[row].cells[cell].size)
        let place = GridPlace(
          row: GridBracket(only: row, excess: threads - rows[row].threads), lower: column,
          upper: column)
        if place.excess < nearest?.excess ?? .infinity { nearest = place }
      }
    }
    return nearest
  }

  /// The costs at a place, as logarithms.
  func costs(at place: GridPlace, of objective: CostObjective) -> CostLanes {
    .between(
      costs(place.lower, inRow: place.row.lower, objective),
      costs(place.upper, inRow: place.row.upper, objective), at: place.row.part)
  }

  /// The points that the costs at a place rest on.
  func points(at place: GridPlace) -> [GridPoint] {
    let cells = [
      (place.row.lower, place.lower.lower), (place.row.lower, place.lower.upper),
      (place.row.upper, place.upper.lower), (place.row.upper, place.upper.upper),
    ]
    return Set(cells.map { rows[$0].cells[$1].point }).sorted()
  }

  private func place(of size: Double, in row: Int) -> GridBracket {
    GridBracket(of: size, among: rows[row].cells.count) { rows[row].cells[$0].size }
  }

  private func costs(
    _ column: GridBracket, inRow row: Int, _ objective: CostObjective
  ) -> CostLanes {
    let lower = rows[row].cells[column.lower].costs(of: objective)
    guard column.part > 0 else { return lower }
    return .between(lower, rows[row].cells[column.upper].costs(of: objective), at: column.part)
  }
}

/// A place among the points of a grid: between two numbers of threads, for each between two sizes.
struct GridPlace: Hashable, Sendable {
  var row: GridBracket
  var lower: GridBracket
  var upper: GridBracket

  /// In doublings beyond what was measured.
  var threadsExcess: Double { row.excess }

  var sizeExcess: Double {
    abs(lower.excess) > abs(upper.excess) ? lower.excess : upper.excess
  }

  /// How far it is from what was measured.
  var excess: Double { hypot(threadsExcess, sizeExcess) }
}
