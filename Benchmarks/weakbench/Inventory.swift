import Benchmarking
import Foundation
import Measurements
import WeakCollections
import Workloads

/// Everything that `run` can be asked for, as `list` shows it.
struct Inventory: Codable, Equatable {
  struct Collection: Codable, Equatable {
    var name: String
    var contestants: [Entrant]
    var workloads: [Work]
  }

  struct Entrant: Codable, Equatable {
    var name: String
    var kind: String
    /// The Swift type that is timed.
    var type: String
    /// What selects it when building; none for what is not a backend of ours.
    var trait: String?
    /// Whether the published names stand for it in this build.
    var isDefault: Bool
  }

  struct Work: Codable, Equatable {
    var name: String
    /// The shares that are not 0, in percent.
    var mix: [String: Int]
    var mixText: String
    var summary: String
    var isQuick: Bool
  }

  var collections: [Collection]

  static var complete: Inventory {
    Inventory(collections: CollectionKind.allCases.map(Collection.init))
  }
}

extension Inventory.Collection {
  fileprivate init(_ collection: CollectionKind) {
    let standard = Backend.ofAtomicNames.rawValue
    name = collection.rawValue
    contestants = Contestant.all(for: collection).map { contestant in
      Inventory.Entrant(
        name: contestant.name, kind: contestant.kind.rawValue, type: contestant.typeName,
        trait: contestant.trait,
        isDefault: contestant.kind == .subject && contestant.name == standard)
    }
    workloads = Workload.all(for: collection.subject).map { workload in
      let shares = OperationKind.allCases.map { ($0.rawValue, workload.mix.share(of: $0)) }
      return Inventory.Work(
        name: workload.name, mix: Dictionary(uniqueKeysWithValues: shares.filter { $0.1 > 0 }),
        mixText: "\(workload.mix)", summary: workload.summary,
        isQuick: StandardMatrix.quickWorkloads(for: collection).contains(workload.name))
    }
  }
}

extension Inventory {
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { preconditionFailure("strings and numbers") }
    return String(decoding: data, as: UTF8.self)
  }

  var text: String {
    let blocks = collections.map { collection in
      let entrants = TextTable(
        columns: [
          .init(title: "BACKEND"), .init(title: "KIND"), .init(title: "TRAIT"),
          .init(title: "SWIFT TYPE"),
        ],
        rows: collection.contestants.map { entrant in
          let type = entrant.type + (entrant.isDefault ? " (default)" : "")
          return [entrant.name, entrant.kind, entrant.trait ?? "–", type]
        })
      let workloads = TextTable(
        columns: [.init(title: "WORKLOAD"), .init(title: "MIX"), .init(title: "WHAT IT DOES")],
        rows: collection.workloads.map { work in
          [work.name, work.mixText, work.summary + (work.isQuick ? " (quick)" : "")]
        })
      let lines = ["--collection \(collection.name)", ""] + entrants.lines + [""] + workloads.lines
      return lines.joined(separator: "\n")
    }
    return blocks.joined(separator: "\n\n")
  }
}
