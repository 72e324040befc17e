import TerminalIO
import Reporting

extension Inventory {
  /// As tables, one after the other for each collection.
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
        return [entrant.name, entrant.kind, entrant.trait ?? "–", type]
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

  /// What keys and values may be; none for what has no keys.
  fileprivate var keyTables: [TextTable] {
    guard !distributions.isEmpty else { return [] }
    return [
      TextTable(
        columns: [.init(title: "--keys"), .init(title: "HOW THEY ARE DRAWN")],
        rows: distributions.map { [$0.name, $0.summary] }),
      TextTable(
        columns: [.init(title: "--key"), .init(title: "--value")],
        rows: entries.map { [$0.key, $0.value] }),
    ]
  }
}
