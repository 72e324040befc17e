import Interleaving
@testable import StressTesting
import Testing
import WeakCollections

struct ScalingTests {
  @Test func `a row has a field for every column, counted for each operation`() {
    var row = ScalingRow(
      collection: .dictionary, backend: .lockFree, workload: .mixed, cores: 4, seed: 1,
      operations: 8)
    row.structure.transfers = 2
    row.epochs.transfers = 4
    row.promotions = 12
    let fields = row.csvLine.dropLast().split(separator: ",").map(String.init)
    #expect(fields.count == ScalingRow.columns.count)
    let field = Dictionary(uniqueKeysWithValues: zip(ScalingRow.columns, fields))
    #expect(field["line_transfers"] == "0.75")
    #expect(field["epochs_transfers"] == "0.5")
    #expect(field["promotions"] == "1.5")
  }

  #if Interleaving
    private func row(
      _ collection: CollectionKind, _ workload: ScalingWorkload, cores: Int
    ) throws -> ScalingRow {
      try ScalingTrial(
        collection: collection, backend: .lockFree, workload: workload, cores: cores, seed: 7
      ).run()
    }

    @Test(arguments: CollectionKind.allCases, [2, 16, 128])
    func `a read writes no line that cores share`(_ collection: CollectionKind, _ cores: Int) throws
    {
      let row = try self.row(collection, .reads, cores: cores)
      #expect(row.structure.reads > row.operations, "reads are seen")
      #expect(row.structure.writes == 0)
      #expect(row.epochs.writes == 0)
      #expect(row.participants.writes == 0)
      #expect(row.transfersPerOperation == 0, "\(row)")
    }

    @Test(arguments: CollectionKind.allCases)
    func `a write writes lines that cores share, and is seen to`(_ collection: CollectionKind)
      throws
    {
      let row = try self.row(collection, .writes, cores: 4)
      #expect(row.structure.writes > 0)
      #expect(row.structure.transfers > 0)
    }

    @Test func `a scan promotes every element`() throws {
      let row = try self.row(.weakArray, .reads, cores: 2)
      #expect(row.promotions == row.operations * ScalingSubject.elementCount)
    }

    @Test func `the same seed gives the same schedule`() throws {
      #expect(try row(.dictionary, .mixed, cores: 3) == row(.dictionary, .mixed, cores: 3))
    }
  #endif
}
