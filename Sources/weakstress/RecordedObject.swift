import TerminalIO
import Linearizability

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
