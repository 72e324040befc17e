import ArgumentParser
import Charts
import Foundation
import Linearizability
import TerminalIO

/// Checks a recorded history.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a recorded history for linearizability.",
    usage: "weakstress check --model <model> [--time-limit <s>] <file>",
    discussion: CheckHelp.text)

  @Option(help: "The recorded object: register, dictionary or weak-array.")
  var model: String

  @Option(
    help: ArgumentHelp("The maximum time in seconds. (default: 60)", valueName: "s"))
  var timeLimit: String?

  @Argument(help: "The history as JSON Lines; - is standard input.")
  var file: String

  func run() throws {
    guard let model = RecordedObject(rawValue: model) else {
      throw CommandError.unknown(
        "model", self.model, allowed: RecordedObject.allCases.map(\.rawValue))
    }
    let seconds = try OptionText("--time-limit", timeLimit, allowed: 1...86_400)
      .seconds(otherwise: 60)
    let source = HistorySource(name: file)
    let finding = try model.check(
      source.bytes(), from: source.title, timeLimit: .seconds(seconds))
    finding.lines.forEach(Console.print)
    if let ending = finding.ending { throw ending }
  }
}

/// The part of `weakstress check --help` that is not about options.
enum CheckHelp {
  static let text = """
    A line per operation; "key":"x" is a dictionary's key, or one of many objects:
    {"worker":0,"call":1,"return":2,"operation":"read","arguments":[],"result":"a"}
    One operation precedes another if its return is less than the other's call; a
    null return means that the operation never returned. Exits 0 if linearizable,
    1 with the smallest counterexample if not, 3 at the time limit, and 65 with the
    place of the error if the file is malformed.
    \(RecordedObject.allCases.map(operations).joined(separator: "\n"))
    """

  private static func operations(of object: RecordedObject) -> String {
    let table = TextTable(
      columns: [.init(), .init()],
      rows: object.signatures.map { signature in
        [
          ([signature.name] + signature.parameters.map { "<\($0)>" }).joined(separator: " "),
          signature.result,
        ]
      })
    return "OPERATIONS OF \(object.rawValue.uppercased()) AND THEIR RESULTS:\n"
      + table.lines.map { "  \($0)" }.joined(separator: "\n")
  }
}

/// The source of a history: a file, or standard input for `-`.
struct HistorySource {
  let name: String

  /// The name in messages.
  var title: String { name == "-" ? "standard input" : name }

  /// Returns the contents of the source.
  ///
  /// - Throws: A usage error if it cannot be read.
  func bytes() throws(CommandError) -> [UInt8] {
    do {
      return [UInt8](try data())
    } catch {
      throw .usage(
        "cannot read \(name.quotedOnOneLine) (allowed: a history as JSON Lines, or - for standard input)"
      )
    }
  }

  private func data() throws -> Data {
    name == "-"
      ? try FileHandle.standardInput.readToEnd() ?? Data()
      : try Data(contentsOf: URL(fileURLWithPath: name))
  }
}

/// The kinds of recorded objects, by the names of `--model`.
enum RecordedObject: String, CaseIterable {
  case register
  case dictionary
  case weakArray = "weak-array"

  private typealias Registers = KeyedModel<RegisterModel<String>, String?>
  private typealias Dictionaries = DictionaryModel<String, String>
  private typealias WeakArrays = KeyedModel<WeakArrayModel<String>, String?>

  var signatures: [OperationSignature] {
    switch self {
    case .register: Registers.signatures
    case .dictionary: Dictionaries.signatures
    case .weakArray: WeakArrays.signatures
    }
  }

  /// Parses and checks the history in `bytes`.
  ///
  /// - Parameter file: The name in messages.
  func check(
    _ bytes: [UInt8], from file: String, timeLimit: Duration
  ) throws(CommandError) -> HistoryFinding {
    switch self {
    case .register: try .of(bytes, file, Registers(RegisterModel()), timeLimit)
    case .dictionary: try .of(bytes, file, Dictionaries(), timeLimit)
    case .weakArray: try .of(bytes, file, WeakArrays(WeakArrayModel()), timeLimit)
    }
  }
}

/// The result for a history file: lines for standard output, and the exit status.
struct HistoryFinding {
  var lines: [String]
  /// The exit status and its message; `nil` if the history is linearizable.
  var ending: CommandError?

  /// The time limit for the search for a smaller counterexample.
  private static let shrinkingLimit = Duration.seconds(5)

  static func of<Model: RecordedModel>(
    _ bytes: [UInt8], _ file: String, _ model: Model, _ timeLimit: Duration
  ) throws(CommandError) -> HistoryFinding {
    let history: History<Model.Input, Model.Output>
    do {
      history = try HistoryFile.history(in: bytes, of: model)
    } catch {
      throw CommandError(status: .badData, description: "\(file): \(error)")
    }
    let operations = "\(NumberText.count(history.operations.count)) operations"
    switch Checker(model, timeLimit: timeLimit).check(history) {
    case .linearizable:
      return HistoryFinding(lines: ["linearizable: \(operations)"])
    case .illegal(let counterexample):
      let smallest = Checker(model, timeLimit: shrinkingLimit)
        .core(of: counterexample, in: history)
      return HistoryFinding(
        lines: CounterexampleText(smallest, of: history, model).lines,
        ending: CommandError(
          status: .found, description: "\(file) is not linearizable"))
    case .unknown:
      let seconds = NumberText.amount(timeLimit / .seconds(1))
      return HistoryFinding(
        lines: ["unknown: \(operations)"],
        ending: CommandError(
          status: .undecided,
          description: "\(file): no verdict within \(seconds) s; try a greater --time-limit"))
    }
  }
}
