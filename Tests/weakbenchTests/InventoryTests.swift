import BenchmarkCommands
import Benchmarking
import Foundation
import Measurements
import Testing
import WeakCollections
import Workloads

@testable import weakbench

@Suite struct InventoryTests {
  @Test func `JSON reads back equal`() throws {
    let data = Data(Inventory.complete.json.utf8)
    #expect(try JSONDecoder().decode(Inventory.self, from: data) == .complete)
  }

  @Test func `every backend is listed with its trait and type, for every collection`() throws {
    let lines = Inventory.complete.text.split(separator: "\n").map(String.init)
    for collection in CollectionKind.allCases {
      for backend in Backend.supporting(collection) {
        let type = backend.typeName(for: collection)
        #expect(
          lines.contains {
            $0.hasPrefix(backend.rawValue) && $0.contains(backend.trait) && $0.contains(type)
          })
      }
      for workload in Workload.all(for: collection.subject) {
        #expect(
          lines.contains { $0.hasPrefix(workload.name) && $0.contains("\(workload.mix)") })
      }
    }
  }

  @Test func `a dictionary's keys are listed, and so that they can be asked for`() throws {
    for collection in Inventory.complete.collections {
      let isKeyed = collection.name == "dictionary"
      #expect(collection.distributions.isEmpty != isKeyed)
      #expect(collection.entries.isEmpty != isKeyed)
      #expect(collection.workloads.allSatisfy { ($0.keys != nil) == isKeyed })
      for entries in collection.entries {
        let line = "--collection dictionary --key \(entries.key) --value \(entries.value) --quick "
        let keys = collection.distributions.map(\.name).joined(separator: ",")
        let trials = try RunPlan.of(line + "--keys \(keys)").trials
        #expect(Set(trials.map(\.configuration.keyDistribution)).count == 6)
        #expect(Set(trials.map(\.configuration.keyType)).count == 1)
      }
    }
  }

  @Test func `one backend of each collection is the default`() {
    for collection in Inventory.complete.collections {
      #expect(collection.contestants.filter(\.isDefault).count == 1)
    }
  }

  @Test func `the workloads of quick exist`() {
    for collection in Inventory.complete.collections {
      #expect(collection.workloads.filter(\.isQuick).count == 3)
    }
  }
}
