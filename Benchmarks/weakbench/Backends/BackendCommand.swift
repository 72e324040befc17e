import ArgumentParser

/// Shows what the names mean in this build.
struct BackendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backend",
    abstract: "Show which backend each name and the leak monitor use in this build, and why.",
    discussion: """
      A trait selects the backend of all names, as in swift run --traits MutexBackend weakbench backend; the \
      Atomic names never stand for one that suspends. The leak monitor asks the chooser where no trait does.
      """)

  @Option(help: "What to write: text or json.")
  var format = "text"

  enum Format: String, CaseIterable { case text, json }

  func run() throws {
    let meanings = NameMeaning.all
    switch try OptionText.name("format", format, as: Format.self) ?? .text {
    case .text: Console.print(NameMeaning.text(of: meanings))
    case .json: Console.print(NameMeaning.json(of: meanings))
    }
  }
}
