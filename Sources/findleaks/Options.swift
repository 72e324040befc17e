/// The options of the command line.
struct Options {
  enum Subject: Equatable {
    /// - Parameter name: If `nil`, the only executable of the package.
    case product(name: String?)
    case tests
  }

  var subject = Subject.product(name: nil)
  var packagePath = "."
  var scratchPath: String?
  /// The path of the driver; by default the first in `PATH`.
  var swift: String?
  var suppressions: [String] = []
  var jUnit: String?
  var sarif: String?
  /// Arguments for `swift build` and `swift test`, such as `-c release`.
  var buildArguments: [String] = []
  /// `--filter` and `--skip` with their values, for `swift test`.
  var testArguments: [String] = []
  /// Arguments for the program.
  var programArguments: [String] = []
  var isVerbose = false
  var asksForHelp = false
}

extension Options {
  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    func value(_ option: String) throws(UsageError) -> String {
      guard let value = rest.popFirst() else {
        throw UsageError(description: "\(option) is not followed by its value")
      }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": asksForHelp = true
      case "--verbose", "-v": isVerbose = true
      case "--product": subject = .product(name: try value(argument))
      case "--test": subject = .tests
      case "--package-path": packagePath = try value(argument)
      case "--scratch-path": scratchPath = try value(argument)
      case "--swift": swift = try value(argument)
      case "--suppressions": suppressions.append(try value(argument))
      case "--junit": jUnit = try value(argument)
      case "--sarif": sarif = try value(argument)
      case "--build-argument": buildArguments.append(try value(argument))
      case "--filter", "--skip": testArguments += [argument, try value(argument)]
      case "--":
        programArguments = Array(rest)
        rest = []
      default:
        throw UsageError(description: "unknown argument '\(argument)'; --help tells the options")
      }
    }
    try checkCombination(arguments)
  }

  private func checkCombination(_ arguments: [String]) throws(UsageError) {
    let options = arguments.prefix { $0 != "--" }
    if options.contains("--test"), options.contains("--product") {
      throw UsageError(description: "--test and --product at once; choose one")
    }
    if subject != .tests, !testArguments.isEmpty {
      throw UsageError(description: "--filter and --skip are for --test")
    }
    if subject == .tests, !programArguments.isEmpty {
      throw UsageError(description: "tests take no arguments after --")
    }
  }
}

extension Options {
  static let help = """
    Builds a program or the tests with AddressSanitizer, runs them, and tells what leaked.

      swift package leaks [--product NAME] [options] [-- arguments of the program]
      swift package leaks --test [--filter REGEX] [--skip REGEX] [options]
      swift run findleaks …     the same; only this passes exit status 2 on

      --product NAME        the executable to run; may be left out if there is one
      --test                run the tests, of XCTest and of Swift Testing
      --suppressions FILE   known leaks, in LeakSanitizer's format: 'leak:pattern', and above each a
                            comment with the reason; may be repeated
      --junit FILE          write what was found as JUnit XML
      --sarif FILE          write what was found as SARIF 2.1.0
      --build-argument ARG  for swift build and swift test; may be repeated: --build-argument -c
                            --build-argument release
      --package-path PATH   the package; by default the current folder
      --scratch-path PATH   where to build; by default .build/findleaks of the package
      --verbose             what the build prints, all frames, and which suppressions were used

    Exit status: 0 if nothing leaked, 1 if something did, 2 if that is not known: it does not build, it
    crashed or failed, a memory error ended it, no test ran, the options are wrong. Leaks come before
    failed tests: both together are 1. SwiftPM makes 1 of every status of a plugin that is not 0: there
    the last lines tell 1 from 2.

    What is looked at is memory that nothing refers to when the process ends: what is still reachable
    then, as from a global variable or a running task, is not told; nor is what a stored property of an
    XCTestCase leads to, since XCTest never lets go of its test cases. A function that still runs, as
    one that calls exit, may hold an object that it needs no more.

    Linux only: Apple's toolchains have no LeakSanitizer. There, use 'leaks --atExit -- program'; this
    command would need 'swift package --disable-sandbox leaks', because it builds.
    """
}
