import ArgumentParser
import Linearizability
import TerminalIO

/// The command `check`, which decides whether a recorded history is linearizable.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a recorded history for linearizability.",
    usage: "weakstress check [<options>] <file>",
    discussion: CheckHelp.text)

  @Option(
    help: ArgumentHelp(
      "The object, for JSON Lines; see weakstress list.", valueName: "name"))
  var model: String?

  @Option(
    help: ArgumentHelp(
      "json-lines, jepsen or porcupine. (default: detected)", valueName: "name"))
  var inputFormat: String?

  // Unconditional, so that -1 is a refused number, not an unknown option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The maximum time in seconds. (default: 60)", valueName: "number"))
  var timeLimit: String?

  @Argument(help: "The file of the history; - is standard input.")
  var file: String

  func run() throws {
    let model = try OptionText.name("model", model, as: RecordedObject.self)
    let format = try OptionText.name(
      "input format", inputFormat, as: HistoryFile.Format.self)
    let seconds = try OptionText("--time-limit", timeLimit, allowed: 1...86_400)
      .seconds(otherwise: 60)
    guard let contents = InputFile.contents(file) else {
      throw CommandError.unreadable(file, allowed: "the file of a history, or - for standard input")
    }
    let bytes = [UInt8](contents)
    let history = RecordedHistory(
      bytes: bytes, file: InputFile.name(of: file), format: format ?? HistoryFile.format(of: bytes))
    let finding = try history.check(as: model, timeLimit: .seconds(seconds))
    finding.lines.forEach(Console.print)
    if let ending = finding.ending { throw ending }
  }
}

/// The part of `weakstress check --help` that is not about options.
enum CheckHelp {
  static let text = """
    Reads JSON Lines, a line per operation; "key":"x" is one of many objects:
    {"worker":0,"call":1,"return":2,"operation":"read","arguments":[],"result":"a"}
    An operation precedes another if its return is less than the other's call. If
    return is null, the operation never returned.

    Reads logs of Jepsen's etcd test and of porcupine's key-value test as well:
    INFO  jepsen.util - 0 :invoke :cas [1 2]
    {:process 0, :type :ok, :f :get, :key "x", :value "y"}
    These imply --model. The unit of time is a line.

    Exits 0 if the history is linearizable, 1 with the smallest counterexample if
    not, 3 at the time limit, 65 with the place of the error in a malformed file.

    EXAMPLES:
      weakstress check --model dictionary history.jsonl
      zcat etcd.log.gz | weakstress check -
    """
}
