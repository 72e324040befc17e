/// A report for people.
package struct LeakText: Sendable {
  private let report: SanitizerReport
  private let source: SourceRoot
  private let showsAllFrames: Bool

  package init(_ report: SanitizerReport, in source: SourceRoot, showsAllFrames: Bool) {
    self.report = report
    self.source = source
    self.showsAllFrames = showsAllFrames
  }

  /// A paragraph for each leak and each memory error; the last line says what it comes to.
  package func text(_ verdict: LeakVerdict) -> String {
    var text = ""
    for error in report.memoryErrors {
      text += "memory error: \(error.kind)\n" + stack(error.frames) + "\n"
    }
    for leak in report.leaks {
      text += "leak: \(leak.title(in: source)), \(Self.amount(leak))\n" + stack(leak.frames) + "\n"
    }
    return text + summary(verdict) + "\n"
  }

  private func stack(_ frames: [StackFrame]) -> String {
    let own = frames.filter(source.isOwn)
    let others = frames.filter { !source.isOwn($0) }
    // A stack that begins and ends elsewhere is told by what is nearest to the allocation.
    let shown = showsAllFrames ? others[...] : own.isEmpty ? others.prefix(12) : []
    var lines = own.map(line) + shown.map(line)
    let left = others.count - shown.count
    if left > 0 { lines.append("  and \(left) frames of others; --verbose shows them") }
    return lines.map { $0 + "\n" }.joined()
  }

  private func line(_ frame: StackFrame) -> String {
    "  \(frame.function)" + (source.place(of: frame).map { " at \($0)" } ?? "")
  }

  private func summary(_ verdict: LeakVerdict) -> String {
    let total = report.leaks.reduce(LeakedStack(objects: 0, bytes: 0, frames: []), +)
    let stacks = report.leaks.count == 1 ? "1 stack" : "\(report.leaks.count) stacks"
    let leaks = "leaked: \(Self.amount(total)), from \(stacks)"
    var text =
      switch verdict {
      case .clean: "no leak"
      case .leaks: leaks
      case .memoryError: "a memory error ended the program; its leaks are not known"
      case .undecided(let why): (report.leaks.isEmpty ? "" : leaks + "; ") + why
      }
    if report.sideTables.objects > 0 {
      text +=
        "\n(also \(Self.amount(report.sideTables)) of side tables of weak references, which are no leak)"
    }
    return text
  }

  static func amount(_ leak: LeakedStack) -> String {
    let objects = leak.objects == 1 ? "1 object" : "\(leak.objects) objects"
    return "\(objects), \(leak.bytes) \(leak.bytes == 1 ? "byte" : "bytes")"
  }
}
