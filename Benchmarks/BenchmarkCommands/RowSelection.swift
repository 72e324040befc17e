import ArgumentParser
import Charts
import Measurements
import Reporting
import TerminalIO

/// The options that select rows, for files with several machines, allocators, compilers or builds.
package struct RowSelection: ParsableArguments {
  @Option(help: ArgumentHelp("Rows of this machine. (default: the only one)", valueName: "name"))
  package var machine: String?

  @Option(
    help: ArgumentHelp("Rows with this allocator. (default: the only one)", valueName: "name"))
  package var allocator: String?

  @Option(
    help: ArgumentHelp("Rows of this compiler. (default: the only one)", valueName: "version"))
  package var compiler: String?

  @Option(help: ArgumentHelp("Rows of this build. (default: release)", valueName: "name"))
  package var configuration: String?

  package init() {}

  package var isEmpty: Bool {
    [machine, allocator, compiler, configuration].allSatisfy { $0 == nil }
  }

  /// Returns the selected rows.
  ///
  /// - Throws: `CommandError` if they cannot be compared with each other; its message lists the
  ///   option that selects comparable ones.
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
        + "(allowed: --configuration with the build to use, such as \(CostRows.fitBuild))"
    )
  }
}

/// A property in which rows must not differ to be used together.
private struct Distinction {
  let name: String
  let plural: String
  /// The option that selects one value.
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
        "rows of \(values.count) \(plural), \(names), cannot be used together "
        + "(allowed: \(option) with the one to use)")
  }
}

/// The options that select rows by what was measured. They have the names and values of `run`.
package struct CellOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Rows of these abstract types. (default: all)", valueName: "names"))
  package var collection: String?

  @Option(help: ArgumentHelp("Rows of these backends. (default: all)", valueName: "names"))
  package var backend: String?

  @Option(help: ArgumentHelp("Rows of these workloads. (default: all)", valueName: "names"))
  package var workload: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Rows with as many threads. (default: all)", valueName: "numbers"))
  package var threads: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Rows with as many entries. (default: all)", valueName: "numbers"))
  package var entries: String?

  package init() {}

  private typealias Choice = (
    option: String, text: String?, value: @Sendable (Measurement.Configuration) -> String
  )

  private var choices: [Choice] {
    [
      ("collection", collection, { $0.collection }), ("backend", backend, { $0.backend }),
      ("workload", workload, { $0.workload }), ("threads", threads, { "\($0.threads)" }),
      ("entries", entries, { "\($0.entries)" }),
    ]
  }

  /// Returns the rows that have one of the values of each option.
  ///
  /// - Throws: A usage error for a value that no row has, with the values that there are.
  package func applied(to rows: [Measurement]) throws(CommandError) -> [Measurement] {
    var selected = rows
    for (option, text, value) in choices {
      guard let text else { continue }
      let all = rows.map { value($0.configuration) }.withoutRepetitions
      let names = try OptionText.names(in: text, option: "--\(option)", allowed: all)
      if let name = names.first(where: { !all.contains($0) }) {
        throw .unknown(option, name, allowed: all)
      }
      selected = selected.filter { names.contains(value($0.configuration)) }
    }
    return selected
  }
}
