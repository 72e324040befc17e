import LeakMonitoring
import RuntimeInspection
import Testing

/// Returns the path with alternating nodes and labels, as in "App.A .b App.B .a App.A". After a
/// label, "?" marks a probable reference, and "!" one for which `weak` cannot be written.
private func path(_ text: String, origin: RetainPath.Origin = .cycle) -> RetainPath {
  let kinds = ["captured-variable": "captured variable", "task-frame": "frame of a task"]
  let words = text.split(separator: " ").map { kinds[String($0)] ?? String($0) }
  return RetainPath(
    origin: origin,
    nodes: stride(from: 0, to: words.count, by: 2).map { .init(typeName: words[$0]) },
    edges: stride(from: 1, to: words.count, by: 2).map { index in
      let (word, mark) = (words[index], words[index].last)
      return .init(
        label: mark == "?" || mark == "!" ? String(word.dropLast()) : word,
        isProbable: mark == "?" || word == "frame of a task", isPayload: mark == "!")
    })
}

struct LikelyFixRulesTests {
  @Test(arguments: [
    // A property whose name means a back reference, wherever the path begins.
    ("App.Page .list App.List .delegate App.Page", "App.List.delegate"),
    ("App.List .delegate App.Page .list App.List", "App.List.delegate"),
    ("App.Page .list App.List .scrollDelegate App.Page", "App.List.scrollDelegate"),
    ("App.Page .grid App.Grid ._dataSource.wrapped App.Page", "App.Grid._dataSource.wrapped"),
    ("App.Node .children[x] App.Node .parent App.Node", "App.Node.parent"),
    ("App.Flow .child App.Flow .parentCoordinator App.Flow", "App.Flow.parentCoordinator"),
    ("App.Node .next App.Node .previous App.Node", "App.Node.previous"),
    ("App.Card .owner App.Person .card App.Card", "App.Card.owner"),
    ("App.Person .state.loaded.0 App.Card .owner App.Person", "App.Card.owner"),
    ("App.Feed .source App.Source .observers[x] App.Feed", "App.Source.observers"),
    ("App.Owner .parent App.Parent .pet App.Pet .owner App.Owner", "App.Pet.owner"),
    // A capture, unless a name is better evidence.
    (
      "App.Chat .connection App.Connection .onLine closure capture App.Chat",
      "the closure in App.Connection.onLine"
    ),
    ("App.Chat .onLine closure capture closure capture App.Chat", "the closure in App.Chat.onLine"),
    (
      "App.Chat .handlers[x] closure capture captured-variable value App.Chat",
      "the closure in App.Chat.handlers"
    ),
    (
      "App.Net .delegate App.NetDelegate .onEnd closure capture App.Net",
      "the closure in App.NetDelegate.onEnd"
    ),
    ("App.A .observer App.Token .body closure capture App.A", "the closure in App.Token.body"),
    ("App.A .body closure capture App.Row .parent App.A", "App.Row.parent"),
    // A property that stores a closure cannot be weak.
    ("App.A .parentAction closure capture App.A", "the closure in App.A.parentAction"),
    ("App.A .state.parent! App.B .owner App.A", "App.B.owner"),
    // Ownership by collections and by names.
    ("App.School .courses[x] App.Course .school App.School", "App.Course.school"),
    ("App.Course .school App.School .courses[x] App.Course", "App.Course.school"),
    ("App.Person .apartment App.Apartment .tenant App.Person", "App.Apartment.tenant"),
    ("App.Page .kept App.Page", "App.Page.kept"),
    ("App.Person .partner App.Person .partner App.Person", "App.Person.partner"),
  ])
  func `the likely fix of a cycle names the line to change`(_ text: String, _ line: String) {
    #expect(path(text).likelyFix?.line == line)
  }

  @Test(arguments: [
    // Either object may be the owner.
    "App.Country .capital App.City .country App.Country",
    "App.Apartment .tenant App.Person .apartment App.Apartment",
    "App.Page .viewModel App.PageViewModel .page App.Page",
    "App.A .left App.B .right App.C .middle App.A",
    "App.Store .pages[x] App.Page .stores[x] App.Store",
    // A path that cannot be interpreted.
    "App.Page .content error value App.Page",
    "App.Page",
    // A reference that was found by scanning memory.
    "App.Owner .unique? App.Owner", "App.Owner .delegate? App.Owner",
    "App.Owner .sink? closure capture App.Owner", "App.Owner .action closure capture? App.Owner",
    // The payload of an enum, the element of a tuple, or the value of an existential.
    "App.Owner .state.delegate! App.Owner", "App.Owner .pair.1! App.Owner",
  ])
  func `an ambiguous cycle has no likely fix`(_ text: String) {
    #expect(path(text).likelyFix == nil)
  }

  @Test func `the likely fix of a path with a task ends the task, wherever the path begins`() throws
  {
    let stored = path("App.Chat .task task task-frame App.Chat", origin: .runningTask)
    let fix = try #require(stored.likelyFix)
    #expect(fix.change == .endTask && fix.edge == 1 && fix.line == "the task in App.Chat.task")
    let forgotten = path("task task-frame App.Feed .rows App.Rows", origin: .runningTask)
    #expect(forgotten.likelyFix?.edge == 0)
    #expect(forgotten.likelyFix?.line == "the task that uses App.Feed")
    let cycle = path("App.Chat .task task task-frame App.Chat")
    #expect(cycle.likelyFix == fix)
  }

  @Test(arguments: [
    ("App.Center .blocks[x] closure capture App.Page", LikelyFix.Change.weakCapture, 1),
    ("App.Center .page App.Page .list App.List .delegate App.Home", .weakProperty, 2),
    ("App.Navigator .history[x] App.Page", .removal, 0),
    ("App.Window .navigator App.Navigator .history[x] App.Page", .removal, 1),
    ("App.Window .delegate! App.Navigator .history[x]? App.Page", .removal, 1),
  ])
  func `the likely fix of an object that a root retains is at the last reference`(
    _ text: String, _ change: LikelyFix.Change, _ edge: Int
  ) {
    let fix = path(text, origin: .root("app")).likelyFix
    #expect(fix?.change == change && fix?.edge == edge)
  }

  @Test(arguments: [
    "App.Window .page App.Page", "App.Window .pages[x] App.Page .model App.Model",
    "App.Center .block closure capture App.Page .model App.Model", "App.Page",
    "App.List .delegate! App.Page", "App.List .delegate? App.Page",
    "App.Center .block? closure capture App.Page",
  ])
  func `an object that a root probably owns has no likely fix`(_ text: String) {
    #expect(path(text, origin: .root("app")).likelyFix == nil)
  }

  @Test func `the likely fix of a growth is at the last reference`() {
    let history = path(
      "task task-frame App.App .history[x] App.Page", origin: .runningTask)
    #expect(history.likelyFix?.change == .endTask)
    #expect(history.likelyFixOfGrowth?.change == .removal)
    #expect(history.likelyFixOfGrowth?.line == "App.App.history")
    let held = path("task task-frame App.Page", origin: .runningTask)
    #expect(held.likelyFixOfGrowth == held.likelyFix && held.likelyFix != nil)
    let cycle = path("App.Page .rows[x] App.Row .page App.Page")
    #expect(cycle.likelyFixOfGrowth == cycle.likelyFix && cycle.likelyFix?.line == "App.Row.page")
    var report = LeakReport.example(.leaked, .growth([1, 2, 3]))
    report.survivors = [
      LeakSurvivor(
        typeName: "App.Page", description: "Page", age: .zero,
        retainFinding: .path(history, strongCount: 1))
    ]
    #expect(report.likelyFix?.change == .removal)
  }

  @Test func `the text names the line, the change and the reason`() {
    #expect(
      path("App.Page .list App.List .delegate App.Page").likelyFix?.text
        == "App.List.delegate (declare it weak: `delegate` names a back reference, which should not "
        + "own its object)")
  }

  @Test func `a report suggests the fix of most survivors in its first line`() throws {
    func survivor(_ text: String) -> LeakSurvivor {
      LeakSurvivor(
        typeName: "App.Page", description: "Page", age: .zero,
        retainFinding: .path(path(text), strongCount: 1))
    }
    var report = LeakReport.example()
    #expect(report.likelyFix == nil && !report.message.contains("likely"))
    let (list, row) = (
      "App.Page .list App.List .delegate App.Page", "App.Page .row App.Row .parent App.Page"
    )
    report.survivors = [survivor(list), survivor(row)]
    #expect(report.likelyFix?.line == "App.List.delegate")
    report.survivors.append(survivor(row))
    let fix = try #require(report.likelyFix)
    #expect(fix.line == "App.Row.parent")
    #expect(report.message.hasSuffix("; likely line to change: \(fix.text)"))
    #expect(LeakRecord(report, millisecondsSince1970: 1).message == report.message)
    report.state = .allowed
    #expect(!report.message.contains("likely"))
  }
}
