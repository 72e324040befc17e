import TerminalIO
import Charts
import Reporting

/// What the hunts came to, for people and for the documentation.
struct MutantsTable {
  enum Format: String, CaseIterable { case text, markdown }

  struct Row: Sendable {
    var name: String
    var part: String
    var defect: String
    var tool: String
    /// nil if nothing was found.
    var finding: String?
    var executions: Int
    var seconds: Double
    var replay: String?
  }

  var mutants: [Row] = []
  /// Nothing may be found in these two.
  var equivalents: [Row] = []
  var originals: [Row] = []

  var isFine: Bool {
    mutants.allSatisfy { $0.finding != nil }
      && (equivalents + originals).allSatisfy { $0.finding == nil }
  }

  var summary: String {
    let caught = mutants.filter { $0.finding != nil }.count
    let clean = originals.filter { $0.finding == nil }.count
    return "\(caught) of \(mutants.count) mutants caught, "
      + "\(clean) of \(originals.count) hunts through the code as it is found nothing"
  }

  func text(as format: Format) -> String {
    switch format {
    case .text: text
    case .markdown: markdown
    }
  }

  private var text: String {
    let columns = Self.titles.enumerated().map { index, title in
      TextTable.Column(title: title, alignment: 4...5 ~= index ? .right : .left)
    }
    func lines(_ rows: [Row]) -> [String] {
      TextTable(columns: columns, rows: rows.map(Self.cells)).lines
    }
    let replays = mutants.compactMap { row in row.replay.map { "  \(row.name)\n    \($0)" } }
    let parts = [
      ("Broken:", mutants.isEmpty ? [] : lines(mutants)),
      ("Break nothing:", equivalents.isEmpty ? [] : lines(equivalents)),
      ("As it is:", originals.isEmpty ? [] : lines(originals)),
      ("To repeat:", replays),
    ]
    return parts.filter { !$0.1.isEmpty }
      .map { title, lines in ([title] + lines).joined(separator: "\n") + "\n" }
      .joined(separator: "\n")
  }

  private var markdown: String {
    func table(_ titles: [String], _ rows: [[String]]) -> String {
      ([titles, titles.map { _ in "---" }] + rows)
        .map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }
    return """
      # Mutants

      Variants of the code with one thing broken, and how long the stress harness takes to find each.

      ## Overview

      A harness that has stopped finding bugs passes silently. So these are planted, each a few lines or one
      memory ordering away from the real code, and `scripts/test-mutants` hunts for all of them, in CI too;
      it wrote this page, and `scripts/test-mutants --only NAME` prints the command that repeats a finding. Time
      includes making it small. \(summary).

      \(table(Self.titles, mutants.map { Self.cells($0) }))
      ## Weakened orderings that break nothing

      Another ordering makes up for the one that is missing, in the managed scheduler's memory model at
      least: nothing was found, as it should be.

      \(table(["mutant", "what is weaker, and why nothing breaks", "executions", "s"],
        equivalents.map { [$0.name, $0.defect, Self.count($0), Self.seconds($0)] }))
      ## The code as it is

      The same hunts, nothing planted: nothing may be found.

      \(table(["ground", "tool", "found", "executions", "s"],
        originals.map {
          ["`\($0.name)`", $0.tool, $0.finding ?? "nothing", Self.count($0), Self.seconds($0)]
        }))
      """
  }

  private static let titles = [
    "mutant", "part", "what is broken", "must be found by", "executions", "s", "what was found",
  ]

  private static func cells(_ row: Row) -> [String] {
    [
      row.name, row.part, row.defect, row.tool, count(row), seconds(row),
      row.finding.map(kind(of:)) ?? "nothing",
    ]
  }

  /// The finding without what only its replay explains.
  private static func kind(of finding: String) -> String {
    let parts = finding.split(separator: ": ").map(String.init)
    let known =
      parts.firstIndex(of: "failed execution").map { parts.dropFirst($0 + 1) } ?? parts[...]
    return known.first { !$0.hasSuffix(" dictionary") && !$0.hasSuffix(" weak-array") } ?? finding
  }

  private static func count(_ row: Row) -> String { NumberText.count(row.executions) }
  private static func seconds(_ row: Row) -> String { NumberText.amount(row.seconds) }
}
