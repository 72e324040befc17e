import LeakReports

extension RetainPath {
  /// One JSON object: `origin` ("cycle", "root" or "runningTask"), `root` (the root's name, if it
  /// is one), `isProbable`, `nodes` (each with its `typeName`) and `edges` (each with its `label`
  /// and `isProbable`).
  public var json: String {
    let nodes = nodes.map { JSONText.object(["typeName": JSONText.text($0.typeName)]) }
    let edges = edges.map { edge in
      JSONText.object(["label": JSONText.text(edge.label), "isProbable": "\(edge.isProbable)"])
    }
    return JSONText.object([
      "origin": JSONText.text(origin.name), "root": origin.root.map(JSONText.text),
      "isProbable": "\(isProbable)", "nodes": JSONText.list(nodes), "edges": JSONText.list(edges),
    ])
  }
}

extension RetainPath.Origin {
  fileprivate var name: String {
    switch self {
    case .cycle: "cycle"
    case .root: "root"
    case .runningTask: "runningTask"
    }
  }

  fileprivate var root: String? {
    if case .root(let name) = self { name } else { nil }
  }
}
