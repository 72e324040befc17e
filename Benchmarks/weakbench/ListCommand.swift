import ArgumentParser

/// Shows everything that can be named on the command line.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the backends, peers, baselines and workloads that can be run.")

  @Option(help: "What to write: text or json.")
  var format = "text"

  enum Format: String, CaseIterable { case text, json }

  func run() throws {
    guard let format = Format(rawValue: format) else {
      throw CommandError.unknown(
        "format", self.format, allowed: Format.allCases.map(\.rawValue))
    }
    switch format {
    case .text: Console.print(Inventory.complete.text)
    case .json: Console.print(Inventory.complete.json)
    }
  }
}
