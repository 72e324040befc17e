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

  /// The option `--cores`, which only some commands have.
  package enum CoresOption: Sendable {
    /// The command has no such option.
    case missing
    /// The value of the option, or `nil` without it.
    case value(Int?)
  }

  /// Throws a usage error if an option is given, for a command that reads no rows.
  package func refuseWithoutRows() throws(CommandError) {
    guard !isEmpty else { return }
    throw .usage(
      "there are no rows to select (allowed: --machine and similar options with CSV files)")
  }

  /// Returns the selected rows.
  ///
  /// - Parameters:
  ///   - rows: All rows.
  ///   - cores: The option for the number of cores. If no selected row has this number, all count.
  /// - Throws: `CommandError` if they cannot be compared with each other; its message lists the
  ///   option that selects comparable ones.
  package func applied(
    to rows: [Measurement], cores: CoresOption = .missing
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
    if case .value(let cores?) = cores {
      let onCores = rows.filter { $0.environment.cores == cores }
      if !onCores.isEmpty { rows = onCores }
    }
    if configuration == nil { try refuseUnfitBuilds(rows) }
    let coresOption: String? = if case .value = cores { "--cores" } else { nil }
    for distinction in Distinction.all(coresOption: coresOption) {
      try distinction.refuseSeveral(in: rows)
    }
    return rows
  }

  /// Throws if rows that a command without options uses together cannot be compared.
  package static func refuseDifferent(_ rows: [Measurement]) throws(CommandError) {
    for distinction in Distinction.all(coresOption: nil) {
      var distinction = distinction
      distinction.option = nil
      try distinction.refuseSeveral(in: rows)
    }
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
  /// The option that selects one value; `nil` if the command has none.
  var option: String?
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

  static func all(coresOption: String?) -> [Distinction] {
    [
      machine, allocator, compiler, configuration,
      Distinction(name: "mutex", plural: "kinds of mutex", option: "--machine or --compiler") {
        $0.mutexFlavor ?? ""
      },
      Distinction(name: "kernel", plural: "processors", option: "--machine") {
        $0.architecture ?? ""
      },
      Distinction(name: "cores", plural: "numbers of cores", option: coresOption) { "\($0.cores)" },
    ]
  }

  func values(of rows: [Measurement]) -> [String] {
    rows.map { value($0.environment) }.withoutRepetitions
  }

  func refuseSeveral(in rows: [Measurement]) throws(CommandError) {
    let values = values(of: rows)
    guard values.count > 1 else { return }
    let names = values.map { $0.quotedOnOneLine }.joined(separator: ", ")
    let remedy = option.map { "\($0) with the one to use" } ?? "files with one of them"
    throw CommandError(
      status: .badData,
      description:
        "rows of \(values.count) \(plural), \(names), cannot be used together (allowed: \(remedy))")
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
