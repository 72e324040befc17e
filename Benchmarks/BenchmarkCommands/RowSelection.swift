import TerminalIO
import ArgumentParser
import Charts
import Measurements
import Reporting

/// Which rows count, where files have those of several machines, allocators, compilers or builds.
package struct RowSelection: ParsableArguments {
  @Option(help: "The machine whose rows count.")
  package var machine: String?

  @Option(help: "The allocator whose rows count, such as jemalloc.")
  package var allocator: String?

  @Option(help: "The compiler whose rows count, such as 6.3.1.")
  package var compiler: String?

  @Option(help: "The builds whose rows count. (default: release; others are refused)")
  package var configuration: String?

  package init() {}

  package var isEmpty: Bool {
    [machine, allocator, compiler, configuration].allSatisfy { $0 == nil }
  }

  /// Those that count of `rows`, and can be compared; the error says which option would make them so.
  package func applied(
    to rows: [Measurement]
  ) throws(CommandError) -> [Measurement] {
    var rows = rows
    let choices: [(Distinction, String?)] = [
      (.machine, machine), (.allocator, allocator), (.compiler, compiler),
      (.configuration, configuration),
    ]
    for (distinction, wanted) in choices {
      guard let wanted else { continue }
      let all = distinction.values(of: rows)
      guard all.contains(wanted) else {
        throw .unknown(distinction.name, wanted, allowed: all)
      }
      rows = rows.filter { distinction.value($0.environment) == wanted }
    }
    if configuration == nil { try refuseUnfitBuilds(rows) }
    for distinction in Distinction.all { try distinction.refuseSeveral(in: rows) }
    return rows
  }

  private func refuseUnfitBuilds(_ rows: [Measurement]) throws(CommandError) {
    let unfit = rows.filter { $0.environment.buildConfiguration != CostRows.fitBuild }
    guard let first = unfit.first else { return }
    let build = first.environment.buildConfiguration.quotedOnOneLine
    throw CommandError(
      status: .badData,
      description:
        "\(unfit.count) of \(rows.count) rows are of a build not fit to measure, \(build) "
        + "(allowed: --configuration with the build whose rows count, such as \(CostRows.fitBuild))"
    )
  }
}

/// What sets rows apart, so that they do not answer one question together.
private struct Distinction {
  let name: String
  let plural: String
  /// What says which rows count.
  let option: String
  let value: @Sendable (Measurement.Environment) -> String

  static let machine = Distinction(
    name: "machine", plural: "machines", option: "--machine"
  ) { $0.machine }
  static let allocator = Distinction(
    name: "allocator", plural: "allocators", option: "--allocator"
  ) { $0.allocator }
  static let compiler = Distinction(
    name: "compiler", plural: "compilers", option: "--compiler"
  ) { String($0.swift.drop { !$0.isNumber }) }
  static let configuration = Distinction(
    name: "configuration", plural: "builds", option: "--configuration"
  ) { $0.buildConfiguration }
  static let all = [
    machine, allocator, compiler, configuration,
    Distinction(name: "mutex", plural: "kinds of mutex", option: "--machine or --compiler") {
      $0.mutexFlavor ?? ""
    },
    Distinction(name: "kernel", plural: "processors", option: "--machine") {
      $0.architecture ?? ""
    },
    Distinction(name: "cores", plural: "numbers of cores", option: "--cores") { "\($0.cores)" },
  ]

  func values(of rows: [Measurement]) -> [String] {
    rows.map { value($0.environment) }.withoutRepetitions
  }

  func refuseSeveral(in rows: [Measurement]) throws(CommandError) {
    let values = values(of: rows)
    guard values.count > 1 else { return }
    let names = values.map { $0.quotedOnOneLine }.joined(separator: ", ")
    throw CommandError(
      status: .badData,
      description:
        "rows of \(values.count) \(plural), \(names), answer no question together "
        + "(allowed: \(option) with that whose rows count)")
  }
}
