import ArgumentParser
import Linearizability
import StressTesting
import TerminalIO
import WeakCollections

/// The command `list`, which prints the names that the other commands accept.
struct StressListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show backends and drivers, and the models and formats of check.",
    usage: "weakstress list")

  func run() { Console.print(StressInventory.text) }
}

/// The tables of the names that `run`, `replay` and `check` accept.
enum StressInventory {
  static var text: String {
    let collections = CollectionKind.allCases.map { collection in
      "--collection \(collection.rawValue)\n\n\(text(of: backends(of: collection)))"
    }
    return (collections + [drivers, models, formats].map(text(of:))).joined(separator: "\n\n")
  }

  private static func text(of table: TextTable) -> String {
    table.lines.joined(separator: "\n")
  }

  private static func backends(of collection: CollectionKind) -> TextTable {
    TextTable(
      columns: ["BACKEND", "--driver", "LOCK-FREE"].map { .init(title: $0) },
      rows: BackendCatalog.subjects.filter { $0.collection == collection }.map { subject in
        let drivers = StressDriver.allCases.filter { $0 == .threads || subject.isSynchronous }
        return [
          subject.name, drivers.map(\.rawValue).joined(separator: ","),
          subject.isLockFree ? "yes" : "no",
        ]
      })
  }

  private static var drivers: TextTable {
    TextTable(
      columns: ["--driver", "IN THIS BUILD", "WHAT IT DOES"].map { .init(title: $0) },
      rows: StressDriver.allCases.map { driver in
        let isAvailable = driver.isAvailable ? "yes" : "no: needs the trait Interleaving"
        return [driver.rawValue, isAvailable, summary(of: driver)]
      })
  }

  private static func summary(of driver: StressDriver) -> String {
    switch driver {
    case .threads: "runs each scenario many times on real threads"
    case .schedules: "explores the schedules of each scenario"
    }
  }

  private static var models: TextTable {
    TextTable(
      columns: ["--model", "--input-format", "OPERATION", "RESULT"].map { .init(title: $0) },
      rows: RecordedObject.allCases.flatMap { model in
        model.signatures.enumerated().map { index, signature in
          let names = [model.rawValue, model.formats.map(\.rawValue).joined(separator: ",")]
          let parameters = signature.parameters.map { "<\($0)>" }
          return (index == 0 ? names : ["", ""])
            + [([signature.name] + parameters).joined(separator: " "), signature.result]
        }
      })
  }

  private static var formats: TextTable {
    TextTable(
      columns: ["--input-format", "HISTORY"].map { .init(title: $0) },
      rows: HistoryFile.Format.allCases.map { [$0.rawValue, summary(of: $0)] })
  }

  private static func summary(of format: HistoryFile.Format) -> String {
    switch format {
    case .jsonLines: "a line of JSON for each operation; needs --model"
    case .jepsen: "the log of Jepsen's etcd test: read, write, cas; the value is nil initially"
    case .porcupine:
      "the log of porcupine's key-value test: get, put, append; values are empty initially"
    }
  }
}
