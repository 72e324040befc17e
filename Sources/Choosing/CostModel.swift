// Which backend costs how much, read off the nearest measured grid point: the backends are compared where
// they were all measured under the same conditions, and nothing is computed between the points.
//
// The distance between a question and a point counts doublings: of the ratio threads : cores, and of the
// size. Shares that have nothing in common weigh as much as `shareWeight` doublings. A question that names
// its workload is answered from that workload's points alone, where there are any.

import Foundation
import WeakCollections

/// What the backends cost, from the samples of one calibration key.
public struct CostModel: Hashable, Sendable {
  /// The medians of the samples, for each point and backend.
  private let costs: [GridPoint: [Backend: Double]]

  private static var shareWeight: Double { 16 }

  /// A model of `samples`, all of which were measured under one key.
  public init(_ samples: [CostSample]) {
    costs = Dictionary(grouping: samples, by: \.point).mapValues { samples in
      Dictionary(grouping: samples, by: \.backend).mapValues { samples in
        Self.median(of: samples.map(\.nanosecondsPerOperation))
      }
    }
  }

  /// The costs of the `eligible` backends at the point nearest to `profile`; nil if none of them was
  /// measured on its collection.
  public func nearest(
    to profile: WorkloadProfile, among eligible: [Backend]
  ) -> (point: GridPoint, costs: [(backend: Backend, nanosecondsPerOperation: Double)])? {
    let points = costs.keys.filter { point in
      point.collection == profile.collection && eligible.contains { costs[point]?[$0] != nil }
    }
    let named = points.filter { $0.workload == profile.workload }
    // The order of points decides between equally near ones, so that the answer is always the same.
    let nearest = (named.isEmpty ? points : named).min {
      (Self.distance(from: profile, to: $0), $0) < (Self.distance(from: profile, to: $1), $1)
    }
    guard let nearest, let measured = costs[nearest] else { return nil }
    let answers = eligible.compactMap { backend in
      measured[backend].map { (backend: backend, nanosecondsPerOperation: $0) }
    }
    return (nearest, answers)
  }

  /// One sample for each point and backend, the median, in order.
  func samples(for key: CalibrationKey) -> [CostSample] {
    costs.keys.sorted().flatMap { point in
      Backend.allCases.compactMap { backend in
        costs[point]?[backend].map {
          CostSample(key: key, point: point, backend: backend, nanosecondsPerOperation: $0)
        }
      }
    }
  }

  /// The cores are the same for every point of a model, so that threads stand for threads : cores.
  private static func distance(from profile: WorkloadProfile, to point: GridPoint) -> Double {
    let threads = log2(Double(profile.threads) / Double(point.threads))
    let size = log2(Double(profile.size) / Double(point.size))
    let shares = shareWeight * profile.shares.distance(to: point.shares)
    return threads * threads + size * size + shares * shares
  }

  private static func median(of values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
