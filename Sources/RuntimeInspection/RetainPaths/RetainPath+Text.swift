extension RetainPath {
  /// Lines for people: what holds the object, then a line for each node after the edge that leads
  /// to it.
  public var text: String {
    let steps = zip(edges, nodes.dropFirst()).map { edge, node in
      "  \(edge.label) -> \(node.typeName)\(edge.isProbable ? " (probable)" : "")"
    }
    return ([title, "  \(nodes[0].typeName)"] + steps).joined(separator: "\n")
  }

  private var title: String {
    let subject = nodes[nodes.count - 1].typeName
    return switch origin {
    case .cycle: "\(subject) holds itself:"
    case .root(let name): "\(subject) is held by the root \"\(name)\":"
    case .runningTask: "\(subject) is held by a running task:"
    }
  }
}
