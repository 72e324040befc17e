import Foundation
import Interleaving
import StressTesting

/// One panel of a `ScalingChart`: its own scale upwards, cores by powers of two to the right.
struct ScalingPanel {
  static let width = 320.0
  static let height = 250.0

  var title: String
  /// By growing numbers of cores.
  var rows: [ScalingRow]

  private static let left = 46.0
  private static let right = 300.0
  private static let top = 34.0
  private static let bottom = 196.0

  var svg: String {
    let name = "<text class=\"name\" x=\"\(Self.left)\" y=\"18\">\(title)</text>"
    let axis = "<text x=\"\(Self.right)\" y=\"232\" text-anchor=\"end\">cores</text>"
    let lines = isAllZero ? [Self.nothing] : MemoryKind.allCases.map(line)
    return ([name, axis] + ticks + lines).joined(separator: "\n")
  }

  private var isAllZero: Bool { rows.allSatisfy { $0.transfersPerOperation == 0 } }

  private static let nothing =
    "<text x=\"\((left + right) / 2)\" y=\"\(bottom - 12)\" text-anchor=\"middle\">none, "
    + "however many cores</text>"

  private func line(of kind: MemoryKind) -> String {
    let points = rows.map { row in
      "\(Self.text(x(row.cores))),\(Self.text(y(transfers(of: kind, in: row))))"
    }
    return "<polyline class=\"\(kind)\" points=\"\(points.joined(separator: " "))\"/>"
  }

  private func transfers(of kind: MemoryKind, in row: ScalingRow) -> Double {
    switch kind {
    case .structure: row.perOperation(row.structure.transfers)
    case .epochs: row.perOperation(row.epochs.transfers)
    case .participants: row.perOperation(row.participants.transfers)
    }
  }

  private var ticks: [String] {
    let levels = [0, highest / 2, highest].map { level in
      let y = Self.text(y(level))
      return """
        <line class="grid" x1="\(Self.left)" y1="\(y)" x2="\(Self.right)" y2="\(y)"/>\
        <text x="\(Self.left - 6)" y="\(y)" dy="4" text-anchor="end">\(Self.label(level))</text>
        """
    }
    let cores = rows.map(\.cores).map { count in
      "<text x=\"\(Self.text(x(count)))\" y=\"214\" text-anchor=\"middle\">\(count)</text>"
    }
    return levels + cores
  }

  private func x(_ cores: Int) -> Double {
    let first = log2(Double(rows.first!.cores))
    let span = log2(Double(rows.last!.cores)) - first
    let part = span > 0 ? (log2(Double(cores)) - first) / span : 0.5
    return Self.left + 10 + part * (Self.right - Self.left - 20)
  }

  private func y(_ value: Double) -> Double {
    Self.bottom - value / highest * (Self.bottom - Self.top)
  }

  /// At least the greatest value: 1, 2 or 5 times a power of ten.
  private var highest: Double {
    let greatest =
      rows.flatMap { row in
        MemoryKind.allCases.map { transfers(of: $0, in: row) }
      }.max() ?? 0
    guard greatest > 0 else { return 1 }
    let unit = pow(10, floor(log10(greatest)))
    return [1, 2, 5, 10].map { $0 * unit }.first { $0 >= greatest }!
  }

  private static func label(_ value: Double) -> String {
    value == value.rounded()
      ? NumberText.count(Int(value)) : "\(Double((value * 1000).rounded()) / 1000)"
  }

  private static func text(_ value: Double) -> String {
    "\((value * 10).rounded() / 10)"
  }
}
