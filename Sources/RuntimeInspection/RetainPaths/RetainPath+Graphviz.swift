extension RetainPath {
  /// A directed graph in Graphviz's language DOT. Edges that are probable are dashed, the object
  /// asked about is bold.
  public var graphviz: String {
    // A path that returns to where it began is drawn as a ring.
    let returns = origin == .cycle || (origin == .runningTask && nodes.first == nodes.last)
    let drawn = returns && nodes.count > 1 ? nodes.count - 1 : nodes.count
    var lines = ["digraph retainPath {"]
    for (index, node) in nodes[..<drawn].enumerated() {
      let isSubject = index == (nodes.count - 1) % drawn
      let style = isSubject ? ", style=bold" : ""
      lines.append("  n\(index) [label=\(quoted(label(of: node, at: index)))\(style)];")
    }
    for (index, edge) in edges.enumerated() {
      let style = edge.isProbable ? ", style=dashed" : ""
      let target = (index + 1) % drawn
      lines.append("  n\(index) -> n\(target) [label=\(quoted(edge.label))\(style)];")
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  private func label(of node: Node, at index: Int) -> String {
    guard index == 0, case .root(let name) = origin else { return node.typeName }
    return "\(name): \(node.typeName)"
  }

  /// DOT knows no escapes but that of the quotation mark, and those of lines.
  private func quoted(_ text: String) -> String {
    "\"\(text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined())\""
  }
}
