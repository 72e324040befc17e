import ArgumentParser
#if Mutants
import Mutants
#endif
struct MutantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "mutants", abstract: "x")
  func run() throws {
    #if Mutants && Interleaving
    try tryAll()
    #endif
  }
}
