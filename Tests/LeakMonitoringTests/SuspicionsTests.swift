import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Session {}

struct SuspicionsTests {
  private let suspicions = Suspicions()
  private let type = ObjectIdentifier(Session.self)

  @Test func `one suspicion of a class is undecided at a time`() {
    #expect(suspicions.begin(of: type, liveCount: 2, max: 1) == 1)
    #expect(suspicions.begin(of: type, liveCount: 3, max: 1) == nil)
    #expect(suspicions.begin(of: ObjectIdentifier(Int.self), liveCount: 2, max: 1) == 1)
    suspicions.dismiss(type)
    #expect(suspicions.begin(of: type, liveCount: 2, max: 1) == 1)
  }

  @Test func `what was told is suspected again when more live, or when it was gone`() {
    _ = suspicions.begin(of: type, liveCount: 2, max: 1)
    suspicions.conclude(type, 2)
    #expect(suspicions.begin(of: type, liveCount: 2, max: 1) == nil)
    #expect(suspicions.begin(of: type, liveCount: 3, max: 1) == 2)
    suspicions.conclude(type, 3)
    suspicions.resolve(type, 3)
    #expect(suspicions.begin(of: type, liveCount: 3, max: 1) == 2)
    suspicions.dismiss(type)
    suspicions.resolve(type, 2)
    #expect(suspicions.begin(of: type, liveCount: 2, max: 1) == 1)
  }

  /// An instance that comes after the last look and before the decision, when nobody else looks for it.
  @Test func `a check that is decided looks for what came meanwhile`() throws {
    let ledger = Ledger(.mutex)
    var sessions = [Session(), Session()]
    for session in sessions { _ = ledger.add(session, 1) }
    let floor = try #require(suspicions.begin(of: type, liveCount: 2, max: 1))
    let check = ExcessCheck(
      ledger: ledger, suspicions: suspicions, exemptions: Exemptions(.mutex), type: type,
      floor: floor,
      report: LeakReport(
        typeName: "Session", description: "Session", liveCount: 2, max: 1,
        site: CallSite(fileID: #fileID, filePath: #filePath, line: #line, column: #column)))
    let found = try #require(check.look())
    sessions.append(Session())
    _ = ledger.add(sessions[2], 1)
    #expect(suspicions.begin(of: type, liveCount: 3, max: 1) == nil)
    let told = check.conclude(found)
    let next = try #require(check.successor())
    #expect(next.floor == 2 && next.look()?.liveCount == 3)
    #expect(next.successor() == nil)
    next.dismiss()
    sessions = []
    #expect(check.look() == nil && check.successor() == nil)
    check.resolve(told)
    #expect(suspicions.begin(of: type, liveCount: 2, max: 1) == 1)
    withExtendedLifetime(sessions) {}
  }
}
