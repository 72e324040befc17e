import Interleaving
import Primitives
import StressTesting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Searches for seeded faults on request of `scripts/test-faults`.
///
/// `search list` prints the broken collections, one a line: name, what is broken, the contract, the
/// search, and the search of the original. Without an argument the program reads requests from
/// standard input and answers each with one line. The fields of all lines are separated by tabs:
///
///     request:  executions, seed, selection, search
///     answer:   what was found or nothing, executions, the atomic operations reached
///
/// A selection is `none`, `fault NAME` or `ordering NUMBER ORDERING`. See `Search` for searches.
/// With the argument `trace` the program prints the steps of a failed execution to standard error.
@main
struct SearchProgram {
  static func main() async {
    let argument = CommandLine.arguments.dropFirst().first
    if argument == "list" {
      for broken in BrokenCollections.all { print(broken.line) }
      return
    }
    while let line = readLine() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4, let limit = Int(fields[0]), let seed = UInt64(fields[1]),
        let selection = Selection(fields[2]), let search = Search(fields[3])
      else {
        print("error: cannot read the request '\(line)'")
        _exit(64)
      }
      selection.apply()
      SeededOrdering.forgetReached()
      let result = await search.run(seed: seed, limit: limit)
      if argument == "trace" { for step in result.trace { printError(step) } }
      let reached = SeededOrdering.reachedOperations.map(String.init).joined(separator: ",")
      let found = result.finding?.replacing("\t", with: " ").replacing("\n", with: " ") ?? ""
      print("\(found)\t\(result.executions)\t\(reached)")
      fflush(nil)
    }
    // Not `exit`: threads of a broken collection may hang.
    _exit(0)
  }
}

/// Which fault of the copied modules is active.
enum Selection {
  case none
  case fault(SeededFault)
  case ordering(operation: Int, rawValue: UInt32)

  init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    switch (words.first, words.count) {
    case ("none", 1): self = .none
    case ("fault", 2):
      guard let fault = SeededFault(rawValue: words[1]) else { return nil }
      self = .fault(fault)
    case ("ordering", 3):
      guard let operation = Int(words[1]),
        let ordering = Ordering.allCases.first(where: { "\($0)" == words[2] })
      else { return nil }
      self = .ordering(operation: operation, rawValue: ordering.rawValue)
    default: return nil
    }
  }

  /// Activates the fault; no other thread may use the copied modules meanwhile.
  func apply() {
    SeededFault.selected = nil
    SeededOrdering.selectedOperation = -1
    switch self {
    case .none: break
    case .fault(let fault): SeededFault.selected = fault
    case .ordering(let operation, let rawValue):
      SeededOrdering.selectedOperation = operation
      SeededOrdering.selectedOrdering = rawValue
    }
  }
}
