import BenchmarkCommands
import Benchmarking
import Choosing
import Measurements
import Reporting
import TerminalIO
import WeakCollections
import Workloads

/// The collections, contestants, workloads and roles that `run` can measure, for `list`.
struct Inventory: Codable, Equatable {
  struct Collection: Codable, Equatable {
    var name: String
    var contestants: [ContestantEntry]
    var workloads: [WorkloadEntry]
    /// The roles for `--roles`.
    var roles: [WorkloadEntry]
    /// The distributions for `--key-distribution`; empty for a collection without keys.
    var distributions: [Distribution]
    /// The allowed pairs of `--keys` and `--values`; empty for a collection without keys.
    var entries: [Entries]
  }

  struct Distribution: Codable, Equatable {
    /// The name with its standard parameters.
    var name: String
    var summary: String
  }

  struct Entries: Codable, Equatable {
    var key: String
    var value: String
  }

  struct ContestantEntry: Codable, Equatable {
    var name: String
    var kind: String
    /// The measured type.
    var type: String
    /// The trait that selects the backend; `nil` for peers and baselines.
    var trait: String?
    /// Whether the published names use this backend in this build.
    var isDefault: Bool
  }

  struct WorkloadEntry: Codable, Equatable {
    var name: String
    /// The nonzero shares, in percent.
    var mix: [String: Int]
    var mixText: String
    /// The distribution of keys; `nil` for a collection without keys.
    var keys: String?
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
    let standard = Backend.ofAtomicName(of: collection).rawValue
    name = collection.rawValue
    contestants = Contestant.all(for: collection).map { contestant in
      Inventory.ContestantEntry(
        name: contestant.name, kind: contestant.kind.rawValue, type: contestant.typeName,
        trait: contestant.trait,
        isDefault: contestant.kind == .subject && contestant.name == standard)
    }
    let quick = StandardMatrix.quickWorkloads(for: collection)
    workloads = Workload.all(for: collection.subject).map {
      Inventory.WorkloadEntry($0, isQuick: quick.contains($0.name))
    }
    roles = RoleKind.allCases.map {
      Inventory.WorkloadEntry($0.work(for: collection.subject), isQuick: false)
    }
    let isKeyed = collection == .dictionary
    distributions =
      isKeyed
      ? KeyDistribution.standard.map { .init(name: "\($0)", summary: $0.summary) } : []
    entries =
      isKeyed
      ? EntryTypes.allCases.map { .init(key: $0.key.rawValue, value: $0.value.rawValue) } : []
  }
}

extension Inventory.WorkloadEntry {
  fileprivate init(_ workload: Workload, isQuick: Bool) {
    let shares = OperationKind.allCases.map { ($0.rawValue, workload.mix.share(of: $0)) }
    self.init(
      name: workload.name, mix: Dictionary(uniqueKeysWithValues: shares.filter { $0.1 > 0 }),
      mixText: "\(workload.mix)",
      keys: workload.subject == .dictionary ? "\(workload.keyDistribution)" : nil,
      summary: workload.summary, isQuick: isQuick)
  }
}

extension Measurement.Kind {
  /// The word for the kind in text; rows call a backend of this package `subject`.
  var word: String { self == .subject ? "backend" : rawValue }
}

extension Inventory {
  var json: String { PrettyJSON.text(of: self) }

  /// The tables of each collection.
  var text: String {
    collections.map { collection in
      let tables =
        [collection.contestantTable, collection.workloadTable] + collection.keyTables
        + [collection.roleTable]
      return (["--collection \(collection.name)"] + tables.map { $0.lines.joined(separator: "\n") })
        .joined(separator: "\n\n")
    }.joined(separator: "\n\n")
  }
}

extension Inventory.Collection {
  fileprivate var contestantTable: TextTable {
    TextTable(
      columns: ["BACKEND", "KIND", "TRAIT", "SWIFT TYPE"].map { .init(title: $0) },
      rows: contestants.map { entrant in
        let type = entrant.type + (entrant.isDefault ? " (default)" : "")
        let kind = Measurement.Kind(rawValue: entrant.kind)?.word ?? entrant.kind
        return [entrant.name, kind, entrant.trait ?? "–", type]
      })
  }

  fileprivate var workloadTable: TextTable {
    let hasKeys = !distributions.isEmpty
    let titles = ["WORKLOAD", "MIX"] + (hasKeys ? ["KEYS"] : []) + ["WHAT IT DOES"]
    return TextTable(
      columns: titles.map { .init(title: $0) },
      rows: workloads.map { work in
        let summary = work.summary + (work.isQuick ? " (quick)" : "")
        return [work.name, work.mixText] + (work.keys.map { [$0] } ?? []) + [summary]
      })
  }

  fileprivate var roleTable: TextTable {
    TextTable(
      columns: ["ROLE", "MIX", "WHAT IT DOES"].map { .init(title: $0) },
      rows: roles.map { [$0.name, $0.mixText, $0.summary] })
  }

  /// The tables of keys and values; empty for a collection without keys.
  fileprivate var keyTables: [TextTable] {
    guard !distributions.isEmpty else { return [] }
    return [
      TextTable(
        columns: [.init(title: "--key-distribution"), .init(title: "HOW THEY ARE DRAWN")],
        rows: distributions.map { [$0.name, $0.summary] }),
      TextTable(
        columns: [.init(title: "--keys"), .init(title: "--values")],
        rows: entries.map { [$0.key, $0.value] }),
    ]
  }
}
