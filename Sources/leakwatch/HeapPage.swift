import Charts
import LeakReports

/// A heap snapshot as one self-contained HTML page: what each type retains, as a tree, and a table
/// of all types.
struct HeapPage {
  private let snapshot: HeapSnapshot

  init(_ snapshot: HeapSnapshot) { self.snapshot = snapshot }

  var html: String {
    HTMLPage(
      title: "leakwatch heap: process \(snapshot.process)", keys: [],
      body: [
        Markup(
          "header", Markup("h1", "The heap of process \(snapshot.process)"),
          Markup("p", ["class": "soft"], Markup(text: snapshot.summary))),
        Markup(
          "main",
          lines: [
            Markup(
              "section",
              lines: [Markup("h2", "What retains memory"), Self.caution, tree, Self.notes]),
            Markup(
              "section",
              lines: [
                Markup("h2", "All types"),
                Markup("p", ["class": "soft"], "Click a column's title to sort by it."), table,
              ]),
          ]),
      ].lines
    ).html
  }

  private var tree: Markup {
    guard let dominators = snapshot.dominators else {
      return Markup(
        "p", ["class": "warning"],
        "This snapshot has no tree: it was taken without paths, or the memory for the search was "
          + "too small.")
    }
    return RetainedList(dominators).markup
  }

  private static let caution = Markup(
    "p", ["class": "soft"],
    "Every line is probable, not certain: the references were found by scanning memory, and a word "
      + "may be left over from an earlier use.")

  private static let notes = HTMLPage.folded(
    "How to read this, and what is uncertain",
    [
      "An object retains what would be deallocated with it: itself and all that is reachable only "
        + "through it. What two objects share belongs to the nearest object that leads to both.",
      "A line has the objects of one type on one path. An object that another one of its type "
        + "retains is in that one's line, so a list is one line, and its own bytes are those of all "
        + "elements.",
      "References are found conservatively. Each word of an object, of a buffer, of C memory, of a "
        + "task's frame, of a stack or of a global variable counts as a reference if it equals the "
        + "address of a block. So an outdated or accidental word can make an object look shared, or "
        + "reachable although it is leaked. Weak and unowned properties do not count; unowned "
        + "captures do. A pointer into the middle of a block does not count, so C memory can look "
        + "unreachable.",
      "An object belongs to the first origin that reaches it: global variables, then tasks, then "
        + "stacks and memory outside malloc. An origin retains what no earlier one reaches. Memory directly "
        + "behind the variables of a library counts as global variables. What "
        + "none reaches is leaked, or only a register of the processor holds it; a cycle begins "
        + "with the object at its lowest address.",
      "Not in the tree: objects on a stack, in the frame of a task and in static memory, and "
        + "deinitialized objects whose memory unowned references hold.",
    ].map { Markup("p", Markup(text: $0)) })

  private var table: Markup {
    let rows = snapshot.entries.map { entry in
      Markup(
        "tr", HTMLPage.textCell(entry.text), HTMLPage.cell(entry.count),
        HTMLPage.cell(entry.bytes))
    }
    let numbers = ["count", "bytes"].map { HTMLPage.title($0, class: "number") }
    return HTMLPage.table(head: [HTMLPage.title("type")] + numbers, rows: rows, isSortable: true)
  }
}

/// The nodes of a dominator tree as nested lists, which a reader opens one by one.
private struct RetainedList {
  private static let columns = ["retained", "of all", "own", "count"]
  /// The fraction of all bytes from which on a node is open at first.
  private static let openFraction = 0.1

  private let tree: DominatorTree
  private let children: [[Int]]

  init(_ tree: DominatorTree) {
    self.tree = tree
    children = tree.children
  }

  var markup: Markup {
    let origins = tree.nodes.indices.filter {
      tree.nodes[$0].parent == nil && tree.nodes[$0].retainedBytes > 0
    }
    let titles = Self.columns.map { Markup("span", Markup(text: $0)) }
    return Markup(
      "div", ["class": "retained"],
      lines: [
        Markup(
          "div", ["class": "line head", "aria-hidden": "true"],
          ([Markup("span", ["class": "name"], "type")] + titles).joined()), list(origins),
      ])
  }

  private func list(_ nodes: [Int], omitting omitted: Int = 0) -> Markup {
    var items = nodes.map(item)
    if omitted > 0 {
      let text = NumberText.count(omitted, "more type")
      items.append(Markup("li", ["class": "soft"], "\(text), each of which retains less"))
    }
    return Markup("ul", lines: items)
  }

  private func item(_ index: Int) -> Markup {
    let node = tree.nodes[index]
    let style = "--share:\(NumberText.fixed(100 * share(of: node), decimals: 1))%"
    guard !children[index].isEmpty || node.omittedCount > 0 else {
      return Markup("li", Markup("div", ["class": "line", "style": style], line(node)))
    }
    let isOpen = node.parent == nil || share(of: node) >= Self.openFraction
    return Markup(
      "li",
      Markup(
        "details", ["open": isOpen ? "" : nil],
        Markup("summary", ["class": "line", "style": style], line(node)),
        list(children[index], omitting: node.omittedCount)))
  }

  private func share(of node: DominatorTree.Node) -> Double {
    Double(node.retainedBytes) / Double(max(tree.retainedBytes, 1))
  }

  private func line(_ node: DominatorTree.Node) -> Markup {
    let isOrigin = node.parent == nil
    let values = [
      HeapText.bytes(node.retainedBytes),
      NumberText.fixed(100 * share(of: node), decimals: 1) + " %",
      isOrigin ? NumberText.missing : HeapText.bytes(node.bytes),
      isOrigin ? NumberText.missing : NumberText.count(node.count),
    ]
    let cells = zip(Self.columns, values).map { column, value in
      Markup("span", ["data-column": column], Markup(text: value))
    }
    return Markup("span", ["class": "name"], Markup(text: node.text)) + cells.joined()
  }
}
