import Foundation
import LeakMonitoring
import Testing

// The examples of the article "Monitoring a program". Its report shows the lines of this file.

private enum App {
  class Coordinator: MemoryLeakMonitorable {
    var max: Int { 1 }  // More than `max` live instances are a leak.

    init() {
      MemoryLeakMonitor.validate(self)
    }
  }

  final class ArchiveCoordinator: Coordinator {
    override var max: Int { 2 }
  }

  final class Player {
    private let lifetime = LifetimeToken(of: Player.self, max: 2)
  }

  class Screen {
    private let lifetime: LifetimeToken

    init() { lifetime = LifetimeToken(of: Self.self) }  // `Self` is the dynamic class.
  }

  final class Draft: Codable {
    private let lifetime = LifetimeToken(
      of: Draft.self, LifetimeConfiguration(max: 1, group: "documents", groupMax: 3))
    var text = ""

    private enum CodingKeys: CodingKey { case text }  // Every property except the token.
  }

  final class Shop {
    var coordinators: [Coordinator] = []

    func open() {
      coordinators.append(Coordinator())
    }
  }
}

private typealias Coordinator = App.Coordinator
private typealias ArchiveCoordinator = App.ArchiveCoordinator
private typealias Player = App.Player
private typealias Screen = App.Screen
private typealias Draft = App.Draft

@Suite(.timeLimit(.minutes(10)))
struct ReadmeMonitorTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `the first example reports the third instance of a class that allows two`() {
    MemoryLeakMonitor.withIsolation(in: monitor) {
      let one = (Coordinator(), ArchiveCoordinator(), ArchiveCoordinator())
      #expect(leaks.all.isEmpty)
      withExtendedLifetime((one, ArchiveCoordinator())) {}
      #expect(leaks.all.map(\.liveCount) == [3])
    }
  }

  @Test func `the second example counts instances with tokens and reports nothing`() throws {
    try MemoryLeakMonitor.withIsolation(in: monitor) {
      let players = [Player(), Player()]
      let screen = Screen()
      let draft = try JSONDecoder().decode(Draft.self, from: Data(#"{"text":"a"}"#.utf8))
      #expect(draft.text == "a")
      #expect(String(decoding: try JSONEncoder().encode(draft), as: UTF8.self) == #"{"text":"a"}"#)
      #expect(leaks.all.isEmpty)
      #expect(monitor.lifetimeCount(ofGroup: "documents") == 1)
      withExtendedLifetime((players, screen, draft)) {}
    }
  }

  @Test func `the third example prints what changed between two snapshots`() {
    var names: [String] = []
    func print(_ name: String, _ born: Int, _ died: Int, _ survived: Int) {
      names.append("\(name) \(born) \(died) \(survived)")
    }
    MemoryLeakMonitor.withIsolation(in: monitor) {
      var player = Player()
      func openAndCloseTheScreen() {
        withExtendedLifetime([Player(), Player(), Player()]) {}
        player = Player()
      }
      let before = MemoryLeakMonitor.snapshot()
      openAndCloseTheScreen()
      for change in MemoryLeakMonitor.snapshot().changes(since: before) {
        print(change.typeName, change.born ?? 0, change.died ?? 0, change.survived ?? 0)
      }
      withExtendedLifetime(player) {}
    }
    #expect(names == ["LeakMonitoringTests.App.Player 1 1 0"])
  }

  #if os(Linux) && DEBUG
    @Test func `the report's text is as shown in the article`() throws {
      try MemoryLeakMonitor.withIsolation(in: monitor) {
        let shop = App.Shop()
        shop.open()
        clock.advance(by: .seconds(62))
        shop.open()
        clock.advance(by: .milliseconds(1500))
        shop.open()
        let text = try #require(leaks.all.last).text
        #expect(withoutRunner(text) == (try reportInArticle()), "\(withoutRunner(text))")
        withExtendedLifetime(shop) {}
      }
    }
  #endif

  /// Removes the frames of the test and of its runner, which differ by machine.
  private func withoutRunner(_ text: String) -> String {
    text.replacing("LeakMonitoringTests.App.", with: "App.")
      .replacing("LeakMonitoringTests/ReadmeMonitorTests.swift", with: "App/Shop.swift")
      .replacing("ReadmeMonitorTests.swift", with: "Shop.swift")
      .split(separator: "\n")
      .filter { line in
        !line.hasPrefix("       ") || line.contains(" App.")
      }.joined(separator: "\n") + "\n"
  }

  /// Returns the first block of text in the article, which is the report.
  private func reportInArticle() throws -> String {
    let file = URL(fileURLWithPath: #filePath)
    let root = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = root.appendingPathComponent(
      "Sources/LeakMonitoring/LeakMonitoring.docc/MonitoringAProgram.md")
    return try String(contentsOf: article, encoding: .utf8)
      .components(separatedBy: "```text\n")[1].components(separatedBy: "```")[0]
  }
}
