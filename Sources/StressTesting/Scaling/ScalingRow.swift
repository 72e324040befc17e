import Interleaving
import WeakCollections

/// What one trial counted: how a collection uses lines that cores share.
package struct ScalingRow: Sendable, Equatable {
  package typealias Uses = SharingCount<MemoryKind>.Uses

  package var collection: CollectionKind
  package var backend: Backend
  package var workload: ScalingWorkload
  package var cores: Int
  package var seed: UInt64
  package var operations: Int
  package var structure = Uses()
  package var epochs = Uses()
  package var participants = Uses()
  /// Promotions of weak references, each of which changes the count of an element: memory that is the
  /// user's and not in the other figures.
  package var promotions = 0

  /// Lines that went from one core to another, for each operation.
  package var transfersPerOperation: Double {
    perOperation(structure.transfers + epochs.transfers + participants.transfers)
  }

  package func perOperation(_ count: Int) -> Double {
    Double(count) / Double(operations)
  }
}

extension ScalingRow {
  /// The columns of the CSV file; counts are for each operation.
  package static let columns =
    [
      "collection", "backend", "workload", "cores", "seed", "operations", "line_transfers",
    ]
    + MemoryKind.allCases.flatMap {
      ["\($0)_transfers", "\($0)_shared_reads", "\($0)_shared_writes"]
    } + ["promotions"]

  package static var csvHeader: String { columns.joined(separator: ",") + "\n" }

  package var csvLine: String {
    let uses = [structure, epochs, participants].flatMap { [$0.transfers, $0.reads, $0.writes] }
    let counts = uses + [promotions]
    let fields =
      [
        collection.rawValue, backend.rawValue, workload.rawValue, "\(cores)", "\(seed)",
        "\(operations)", "\(transfersPerOperation)",
      ] + counts.map { "\(perOperation($0))" }
    return fields.joined(separator: ",") + "\n"
  }
}
