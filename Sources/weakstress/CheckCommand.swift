import ArgumentParser
import Charts
import Foundation
import Linearizability
import TerminalIO

/// Checks a history that was recorded anywhere.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a recorded history for linearizability.",
    discussion: CheckHelp.text)

  @Option(help: "What was recorded: register, dictionary or weak-array.")
  var model: String

  @Option(help: "Give up after so many seconds. (default: 60)")
  var timeLimit: String?

  @Argument(help: "The history, as JSON Lines; - is standard input.")
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

/// What `weakstress check --help` says beyond the options.
enum CheckHelp {
  static let text = """
    A history is a line for each operation, such as this one, broken here to fit:

      {"worker":0,"call":10,"return":25,"operation":"append",
       "key":"x","arguments":["y"],"result":null}

    Stamps are whole numbers of one clock; an operation comes before another if its return is smaller than \
    the other's call. A return of null says that the operation never returned: it may or may not have \
    happened. The key tells registers, arrays or a dictionary's entries apart, each checked alone; \
    without one there is one register or array. Values are strings; a register and an entry are null at \
    first, and compare-and-set takes null for no value.

    The verdict is linearizable (status 0), illegal (1) with the smallest counterexample found, or \
    unknown (3) if the time is up. A file that is damaged or does not fit the model ends with status 65 \
    and its first bad place.

    \(RecordedObject.allCases.map(operations).joined(separator: "\n\n"))

    In a weak array an object's death is an operation: from before the last strong release that its \
    recorder knows of, to after its deinit was seen. A lookup that returned the object may keep it alive \
    for longer. The object is found until one moment between the two, the same for everybody, and never after \
    it. A die that was never seen to end may have no return.
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
    return "OPERATIONS OF \(object.rawValue.uppercased()), AND THEIR RESULTS:\n"
      + table.lines.map { "  \($0)" }.joined(separator: "\n")
  }
}

/// Where a history is read from: a file, or standard input for `-`.
struct HistorySource {
  let name: String

  /// As messages show it.
  var title: String { name == "-" ? "standard input" : name }

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

/// The models that a history file can be checked against, by name.
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

  /// Reads and checks the history in `bytes`, which came from `file`.
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

/// What was found out about a history file: lines for standard output, and how the command ends.
struct HistoryFinding {
  var lines: [String]
  /// `nil` if the history is linearizable.
  var ending: CommandError?

  /// How long the search for a smaller counterexample may take.
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
          description: "\(file): not decided in \(seconds) s; try --time-limit"))
    }
  }
}
