import BenchmarkCommands
import Measurements
import ProgramTesting
import Testing

@testable import benchlab

@Suite struct ReplicationTests {
  /// Three sessions of backends with these times.
  private func rows(_ times: [(String, [Double])], run: String) -> [Measurements.Measurement] {
    times.flatMap { name, times in
      times.enumerated().map { index, time in
        var row = Measurements.Measurement.example(
          index + 1, name, nanosecondsPerOperation: time)
        row.identity.row = "\(run)-\(name)-\(index)"
        row.identity.run = run
        row.trial.session = index + 1
        return row
      }
    }
  }

  @Test func `a verdict is confirmed, left open or contradicted`() {
    let known = rows(
      [
        ("mutex", [100, 101, 102]), ("actor", [200, 202, 204]), ("lock-free", [50, 50.4, 51]),
        ("adaptive-lock", [100, 101.2, 102]),
      ], run: "one")
    // mutex < actor is turned round, lock-free < mutex is open, and so on.
    let last = rows(
      [("mutex", [300, 303, 306]), ("actor", [200, 202, 204]), ("lock-free", [50, 900, 60])],
      run: "two")
    let replication = Replication(of: known, by: last)
    #expect(replication.decided == 3)
    #expect(replication.contradictions.count == 1)
    #expect(
      replication.contradictions[0].contains("actor against mutex was slower (2.00), then faster"))
    #expect(replication.open == 2 && replication.confirmed == 0)
    #expect(!replication.holds)
    let again = Replication(
      of: known, by: rows([("mutex", [10, 11]), ("actor", [20, 22.2])], run: "b"))
    #expect(again.decided == 1 && again.confirmed == 1 && again.holds)
    #expect(Replication(of: known, by: []).decided == 0)
  }

  @Test func `one session gives no verdict that could be contradicted`() {
    var known = rows([("mutex", [100, 101]), ("actor", [200, 202])], run: "one")
    for index in known.indices { known[index].trial.session = 1 }
    #expect(Replication(of: known, by: known).decided == 0)
  }
}
