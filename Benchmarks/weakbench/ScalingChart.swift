import StressTesting
import WeakCollections

/// Line transfers for each operation against cores, as a self-contained SVG: a row of panels for each
/// collection and backend, a panel for each workload, a line for each kind of memory.
struct ScalingChart {
  private let panels: [[ScalingPanel]]

  init(rows: [ScalingRow]) {
    struct Subject: Hashable { var collection: CollectionKind, backend: Backend }
    let subjects = rows.map { Subject(collection: $0.collection, backend: $0.backend) }
    panels = subjects.withoutRepetitions.map { subject in
      let rows = rows.filter {
        $0.collection == subject.collection && $0.backend == subject.backend
      }
      return rows.map(\.workload).withoutRepetitions.map { workload in
        ScalingPanel(
          title:
            "\(subject.collection.rawValue), \(subject.backend.rawValue): \(workload.rawValue)",
          rows: rows.filter { $0.workload == workload }.sorted { $0.cores < $1.cores })
      }
    }
  }

  private static let margin = 24.0
  private static let head = 64.0

  var svg: String {
    let columns = panels.map(\.count).max() ?? 0
    let width = Self.margin * 2 + Double(columns) * ScalingPanel.width
    let height = Self.head + Double(panels.count) * ScalingPanel.height + Self.margin
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
      height="\(height)" role="img" aria-label="Line transfers for each operation against cores">
      \(Self.style)
      <rect class="page" width="100%" height="100%"/>
      <text class="title" x="\(Self.margin)" y="30">Lines that go from core to core, for each \
      operation</text>
      \(legend)
      \(body)
      </svg>

      """
  }

  private var body: String {
    panels.enumerated().map { row, panels in
      panels.enumerated().map { column, panel in
        let x = Self.margin + Double(column) * ScalingPanel.width
        let y = Self.head + Double(row) * ScalingPanel.height
        return "<g transform=\"translate(\(x) \(y))\">\n\(panel.svg)\n</g>"
      }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private var legend: String {
    MemoryKind.allCases.enumerated().map { index, kind in
      let x = Self.margin + Double(index) * 130
      return """
        <line class="\(kind)" x1="\(x)" y1="48" x2="\(x + 22)" y2="48"/>\
        <text x="\(x + 28)" y="52">\(kind.rawValue)</text>
        """
    }.joined(separator: "\n")
  }

  private static let style = """
    <style>
    svg { --ink: #1f2328; --soft: #59636e; --grid: #d9dee3; --page: #ffffff;
      --structure: #2563c9; --epochs: #b45309; --participants: #15803d; }
    @media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --soft: #9198a1; --grid: #3a424b;
      --page: #0d1117; --structure: #6ea8fe; --epochs: #f0a94b; --participants: #5fd08a; } }
    .page { fill: var(--page); }
    text { fill: var(--soft); font: 12px system-ui, sans-serif; }
    .title { fill: var(--ink); font-size: 16px; font-weight: 600; }
    .name { fill: var(--ink); font-weight: 600; }
    .grid { stroke: var(--grid); }
    .structure, .epochs, .participants { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
    .structure { stroke: var(--structure); }
    .epochs { stroke: var(--epochs); stroke-dasharray: 7 4; }
    .participants { stroke: var(--participants); stroke-dasharray: 2 4; stroke-linecap: round; }
    </style>
    """
}
