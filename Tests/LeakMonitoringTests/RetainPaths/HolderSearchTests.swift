import RuntimeInspection
import Testing

@testable import LeakMonitoring

private final class Session {}

struct HolderSearchTests {
  private let session = Session()

  @Test func `of many survivors the first five are looked at`() {
    var search = HolderSearch { _ in .none(strongCount: 1) }
    let findings = (1...9).map { _ in search.find(LifeSign(session)) }
    #expect(findings.map { $0 != nil } == (1...9).map { $0 <= 5 })
  }

  @Test func `after a search that came to grief there is no other`() {
    var search = HolderSearch { _ in .unavailable("too slow") }
    #expect(search.find(LifeSign(session)) == .unavailable("too slow"))
    #expect(search.find(LifeSign(session)) == nil)
  }

  @Test func `why nothing is known is told`() {
    var report = LeakReport.example()
    report.survivors = [
      LeakSurvivor(
        typeName: "App.Session", description: "Session", age: .zero,
        retainFinding: .unavailable("too slow"))
    ]
    #expect(report.text.contains("       who holds it cannot be told: too slow\n"))
  }

  @Test func `of several survivors each path says whose it is`() {
    var report = LeakReport.example()
    report.survivors = ["One", "Other"].map { name in
      LeakSurvivor(
        typeName: "App.\(name)", description: name, age: .zero,
        retainFinding: .none(strongCount: 2))
    }
    let holder = "held by nothing that can be seen; strong references: 2"
    #expect(report.holderLines == ["1. One", holder, "2. Other", holder])
  }

  @Test(arguments: [(nil, false), ("", false), ("0", false), ("1", true), ("yes", true)])
  func `LEAK_PATHS switches them on for a whole run`(_ setting: String?, _ isShown: Bool) {
    #expect(RetainPaths.standard(setting: setting) == (isShown ? .shown() : .hidden))
  }
}
