import RuntimeInspection

extension RetainPath {
  /// Of what `json` writes.
  init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "how an instance is held")
    let nodes = try Self.parts(fields, "nodes") { part throws(JSONError) in
      Node(typeName: try part.needed(part.text("typeName"), "typeName"))
    }
    let edges = try Self.parts(fields, "edges") { part throws(JSONError) in
      Edge(
        label: try part.needed(part.text("label"), "label"),
        isProbable: try part.flag("isProbable") ?? false)
    }
    guard nodes.count == edges.count + 1 else {
      throw JSONError(offset: node.offset, expected: "an edge between each two nodes")
    }
    self.init(origin: try Self.origin(fields), nodes: nodes, edges: edges)
  }

  private static func parts<Part>(
    _ fields: JSONFields, _ name: String, _ part: (JSONFields) throws(JSONError) -> Part
  ) throws(JSONError) -> [Part] {
    try fields.needed(fields.list(name), name).map { node throws(JSONError) in
      try part(try JSONFields(node, "one of the \(name) of how an instance is held"))
    }
  }

  private static func origin(_ fields: JSONFields) throws(JSONError) -> Origin {
    switch try fields.needed(fields.name("origin", of: OriginName.self), "origin") {
    case .cycle: .cycle
    case .root: .root(try fields.needed(fields.text("root"), "root"))
    case .runningTask: .runningTask
    }
  }

  private enum OriginName: String, CaseIterable {
    case cycle, root, runningTask
  }
}
