import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Session {}

struct SuspicionsTests {
  private let suspicions = Suspicions()
  private let type = ObjectIdentifier(Session.self)

  @Test func `one suspicion of a class is undecided at a time`() {
    #expect(begin(2)?.floor == 1)
    #expect(begin(3) == nil)
    #expect(suspicions.begin(of: ObjectIdentifier(Int.self), liveCount: 2, max: 1)?.floor == 1)
    suspicions.dismiss(type)
    #expect(begin(2)?.floor == 1)
  }

  @Test func `what was told is suspected again when more live, or when it was gone`() throws {
    let first = try #require(begin(2))
    suspicions.conclude(type, first, 2)
    #expect(begin(2) == nil)
    let second = try #require(begin(3))
    #expect(second.floor == 2)
    suspicions.conclude(type, second, 3)
    #expect(suspicions.resolve(type, second))
    #expect(begin(3)?.floor == 2)
    suspicions.dismiss(type)
    #expect(suspicions.resolve(type, first))
    #expect(begin(2)?.floor == 1)
  }

  @Test func `what was told and forgotten is suspected again, and is not gone`() throws {
    let first = try #require(begin(2))
    suspicions.conclude(type, first, 2)
    suspicions.removeTold()
    let second = try #require(begin(2))
    suspicions.removeTold()
    #expect(begin(2) == nil)
    suspicions.conclude(type, second, 2)
    #expect(!suspicions.resolve(type, first))
    #expect(begin(2) == nil)
    #expect(suspicions.resolve(type, second))
  }

  private func begin(_ liveCount: Int) -> Suspicions.Begun? {
    suspicions.begin(of: type, liveCount: liveCount, max: 1)
  }

  /// An instance that comes after the last look and before the decision, when nobody else looks for it.
  @Test func `a check that is decided looks for what came meanwhile`() throws {
    let ledger = Ledger(.mutex)
    var sessions = [Session(), Session()]
    for session in sessions { _ = ledger.add(session, 1) }
    let suspicion = try #require(begin(2))
    let check = ExcessCheck(
      count: ledger.liveCount, suspicions: suspicions, exemptions: Exemptions(.mutex), type: type,
      suspicion: suspicion,
      report: LeakReport(
        typeName: "Session", description: "Session", liveCount: 2, max: 1,
        site: CallSite(fileID: #fileID, filePath: #filePath, line: #line, column: #column)))
    let found = try #require(check.look())
    sessions.append(Session())
    _ = ledger.add(sessions[2], 1)
    #expect(begin(3) == nil)
    let told = check.conclude(found)
    let next = try #require(check.successor())
    #expect(next.suspicion.floor == 2 && next.look()?.liveCount == 3)
    #expect(next.successor() == nil)
    next.dismiss()
    sessions = []
    #expect(check.look() == nil && check.successor() == nil)
    #expect(check.resolve(told))
    #expect(begin(2)?.floor == 1)
    withExtendedLifetime(sessions) {}
  }
}
