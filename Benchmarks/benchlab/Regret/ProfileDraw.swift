import BenchmarkCommands
import TerminalIO
import Choosing
import Foundation
import SeededRandom
import WeakCollections
import Workloads

/// Profiles drawn within what was measured, and off its points.
struct ProfileDraw {
  private let key: CalibrationKey
  private let model: CostModel
  private var generator: SplitMix64

  /// - Precondition: there are measurements for `key`.
  init(_ calibration: Calibration, key: CalibrationKey, seed: Seed) throws(CommandError) {
    guard let model = calibration.model(for: key) else {
      throw CommandError(
        status: .outsideMeasured, description: "nothing was measured on \(key) to draw within")
    }
    self.key = key
    self.model = model
    generator = SplitMix64(seed: seed.value)
  }

  /// Of collections with measured mixes, each as often: a mix between two of them, and threads and a size between
  /// those measured, by their logarithms. All can be run, and are different.
  mutating func profiles(_ count: Int) throws(CommandError) -> [WorkloadProfile] {
    var found: [WorkloadProfile] = []
    // Of what is drawn, most is within; this only ends the search where next to nothing can be.
    for _ in 0..<1000 * count where found.count < count {
      guard let profile = try draw(), !found.contains(profile),
        model.answer(to: profile)?.excess.isWithin == true
      else { continue }
      found.append(profile)
    }
    guard found.count == count else {
      throw CommandError(
        status: .outsideMeasured,
        description: "\(found.count) of \(count) profiles lie within what was measured")
    }
    return found
  }

  /// Nil if there is no mix to draw.
  private mutating func draw() throws(CommandError) -> WorkloadProfile? {
    let mixes = model.costs.map(\.point).filter(\.isPureMix)
    let collections = CollectionKind.allCases.filter { kind in
      mixes.contains { $0.collection == kind }
    }
    guard let collection = collections.randomElement(using: &generator) else { return nil }
    let points = mixes.filter { $0.collection == collection }
    let one = points.randomElement(using: &generator)!.shares
    let other = points.randomElement(using: &generator)!.shares
    let shares = one.mixed(with: other, part: Double.random(in: 0...1, using: &generator))
    let profile = WorkloadProfile(
      collection: collection, shares: shares, threads: number(between: points.map(\.threads)),
      cores: key.cores, size: number(between: points.map(\.size)), synchronousOnly: false)
    // Written and read, it has the whole per cent that can be run.
    var whole = profile
    whole.shares = OperationShares(try profile.wholeMix())
    return whole
  }

  /// Half a doubling beyond the measured ones counts as measured.
  private mutating func number(between measured: [Int]) -> Int {
    let logarithms = measured.map { log2(Double($0)) }
    let range = max(0, logarithms.min()! - 0.5)...(logarithms.max()! + 0.5)
    return max(1, Int(exp2(Double.random(in: range, using: &generator)).rounded(.down)))
  }
}

extension OperationShares {
  fileprivate func mixed(with other: OperationShares, part: Double) -> OperationShares {
    func between(_ one: Double, _ two: Double) -> Double { one * (1 - part) + two * part }
    return OperationShares(
      read: between(read, other.read), insert: between(insert, other.insert),
      update: between(update, other.update), remove: between(remove, other.remove),
      iterate: between(iterate, other.iterate))
  }
}

extension WorkloadProfile {
  /// The shares in whole percent, as a file of the profile has them and `weakbench run --mix` takes them.
  func wholeMix() throws(CommandError) -> OperationMix {
    struct File: Decodable { var shares: [String: Int] }
    do {
      let shares = try JSONDecoder().decode(File.self, from: json).shares
      return try OperationMix(
        read: shares["read"] ?? 0, insert: shares["insert"] ?? 0, update: shares["update"] ?? 0,
        remove: shares["remove"] ?? 0, iterate: shares["iterate"] ?? 0)
    } catch {
      throw .failed("a drawn profile has no mix that can be run: \(error)")
    }
  }
}
