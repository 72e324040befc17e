import RuntimeInspection
import Testing

@Suite struct RetainPathFormatTests {
  private let cycle = RetainPath(
    origin: .cycle,
    nodes: ["App.Model", "closure", "App.Model"].map(RetainPath.Node.init(typeName:)),
    edges: [RetainPath.Edge(label: ".onChange"), RetainPath.Edge(label: "capture")])

  private let root = RetainPath(
    origin: .root("env \"1\""),
    nodes: ["App.Environment", "App.Model"].map(RetainPath.Node.init(typeName:)),
    edges: [RetainPath.Edge(label: ".models[x]")])

  private let task = RetainPath(
    origin: .runningTask,
    nodes: ["App.Model", "task", "App.Model"].map(RetainPath.Node.init(typeName:)),
    edges: [
      RetainPath.Edge(label: ".task"), RetainPath.Edge(label: "frame of a task", isProbable: true),
    ])

  @Test func `text`() {
    #expect(
      cycle.text == """
        App.Model holds itself:
          App.Model
          .onChange -> closure
          capture -> App.Model
        """)
    #expect(
      root.text == """
        App.Model is held by the root "env "1"":
          App.Environment
          .models[x] -> App.Model
        """)
    #expect(
      task.text == """
        App.Model is held by a running task:
          App.Model
          .task -> task
          frame of a task -> App.Model (probable)
        """)
  }

  @Test func `JSON`() {
    #expect(
      cycle.json == """
        {"origin":"cycle","isProbable":false,\
        "nodes":[{"typeName":"App.Model"},{"typeName":"closure"},{"typeName":"App.Model"}],\
        "edges":[{"label":".onChange","isProbable":false},{"label":"capture","isProbable":false}]}
        """)
    #expect(
      root.json == #"{"origin":"root","root":"env \"1\"","isProbable":false,"#
        + #""nodes":[{"typeName":"App.Environment"},{"typeName":"App.Model"}],"#
        + #""edges":[{"label":".models[x]","isProbable":false}]}"#)
    #expect(task.json.hasPrefix(#"{"origin":"runningTask","isProbable":true,"#))
    let payload = RetainPath(
      origin: .cycle, nodes: cycle.nodes.dropLast(),
      edges: [RetainPath.Edge(label: ".state.ready", isPayload: true)])
    let edge = #"{"label":".state.ready","isProbable":false,"isPayload":true}"#
    #expect(payload.json.hasSuffix(#""edges":[\#(edge)]}"#))
  }

  @Test func `Graphviz`() {
    #expect(
      cycle.graphviz == """
        digraph retainPath {
          n0 [label="App.Model", style=bold];
          n1 [label="closure"];
          n0 -> n1 [label=".onChange"];
          n1 -> n0 [label="capture"];
        }
        """)
    #expect(
      root.graphviz == #"""
        digraph retainPath {
          n0 [label="env \"1\": App.Environment"];
          n1 [label="App.Model", style=bold];
          n0 -> n1 [label=".models[x]"];
        }
        """#)
    #expect(
      task.graphviz == """
        digraph retainPath {
          n0 [label="App.Model", style=bold];
          n1 [label="task"];
          n0 -> n1 [label=".task"];
          n1 -> n0 [label="frame of a task", style=dashed];
        }
        """)
  }
}
