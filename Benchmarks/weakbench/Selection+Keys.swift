import BenchmarkCommands
import TerminalIO
import Charts
import Reporting
import Workloads

extension Selection {
  /// The workloads with the keys and values that were asked for, each once for every distribution.
  static func keyed(
    _ workloads: [Workload], _ options: RunOptions
  ) throws(CommandError) -> [Workload] {
    let asked = [("--keys", options.keys), ("--key", options.key), ("--value", options.value)]
    guard let option = asked.first(where: { $0.1 != nil })?.0 else { return workloads }
    guard workloads.allSatisfy({ $0.subject == .dictionary }) else {
      throw .usage("\(option) is for dictionaries (allowed: with --collection dictionary)")
    }
    let entries = try entries(key: options.key, value: options.value)
    guard let text = options.keys else { return workloads.map { $0.on(entries) } }
    let distributions = try distributions(text)
    return workloads.flatMap { workload in
      distributions.map { workload.on(entries).drawing($0) }
    }
  }

  private static func distributions(_ text: String) throws(CommandError) -> [KeyDistribution] {
    let allowed = KeyDistribution.standard.map(\.description)
    let names = try OptionText.names(in: text, option: "--keys", allowed: allowed)
    var found: [KeyDistribution] = []
    for name in names {
      do {
        found.append(try KeyDistribution(parsing: name))
      } catch {
        throw .usage("--keys: \(error)")
      }
    }
    return found.withoutRepetitions
  }

  private static func entries(key: String?, value: String?) throws(CommandError) -> EntryTypes {
    let keys = EntryTypes.Key.allCases.map(\.rawValue)
    let values = EntryTypes.Value.allCases.map(\.rawValue)
    guard let keyType = EntryTypes.Key(rawValue: key ?? "int") else {
      throw .unknown("type of key", key ?? "", allowed: keys)
    }
    guard let valueType = EntryTypes.Value(rawValue: value ?? "int") else {
      throw .unknown("type of value", value ?? "", allowed: values)
    }
    guard let entries = EntryTypes(key: keyType, value: valueType) else {
      let pairs = EntryTypes.allCases.map { "\($0.key.rawValue) to \($0.value.rawValue)" }
      throw .usage(
        "--key \(keyType.rawValue) --value \(valueType.rawValue) "
          + "(allowed: \(pairs.joined(separator: ", ")))")
    }
    return entries
  }
}
