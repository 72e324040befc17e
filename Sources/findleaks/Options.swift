/// The options of the command line.
struct Options {
  enum Subject: Equatable {
    /// An executable product; nil for the only one of the package.
    case product(name: String?)
    /// The tests of the package.
    case tests
  }

  var subject = Subject.product(name: nil)
  /// Whether to count the live objects at the end of the program instead of the leaks.
  var countsHeap = false
  var packagePath = "."
  var scratchPath: String?
  /// The path of Swift's driver; nil for the first one in `PATH`.
  var swift: String?
  var suppressions: [String] = []
  var jUnit: String?
  var sarif: String?
  /// The file to which the counts of live objects are appended.
  var heapJSON: String?
  /// Arguments for `swift build` and `swift test`, such as `-c release`.
  var buildArguments: [String] = []
  /// `--filter` and `--skip` with their values, for `swift test`.
  var testArguments: [String] = []
  /// The arguments of the program.
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
        throw UsageError(description: "\(option) needs a value")
      }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": asksForHelp = true
      case "--verbose", "-v": isVerbose = true
      case "--product": subject = .product(name: try value(argument))
      case "--test": subject = .tests
      case "--heap": countsHeap = true
      case "--heap-json": heapJSON = try value(argument)
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
        throw UsageError(description: "unknown argument '\(argument)'; --help lists the options")
      }
    }
    try checkCombination(arguments)
  }

  private func checkCombination(_ arguments: [String]) throws(UsageError) {
    let options = arguments.prefix { $0 != "--" }
    if options.contains("--test"), options.contains("--product") {
      throw UsageError(description: "--test and --product exclude each other; pass one of them")
    }
    if countsHeap, subject == .tests || jUnit != nil || sarif != nil || !suppressions.isEmpty {
      throw UsageError(
        description: "--heap runs a program and finds no leaks, so it excludes --test, --junit, "
          + "--sarif and --suppressions")
    }
    if heapJSON != nil, !countsHeap {
      throw UsageError(description: "--heap-json needs --heap")
    }
    if subject != .tests, !testArguments.isEmpty {
      throw UsageError(description: "--filter and --skip need --test")
    }
    if subject == .tests, !programArguments.isEmpty {
      throw UsageError(description: "tests take no arguments; remove '--' and all text after it")
    }
  }
}

extension Options {
  /// The text of `--help`, at most 80 columns wide and 40 lines long.
  static let help = """
    Builds a program or the tests with AddressSanitizer, runs them, and reports the
    memory that is unreachable when the process ends. Linux only: Apple's toolchains
    have no LeakSanitizer; there, use 'leaks --atExit -- program'.

      swift package leaks [--product NAME] [options] [-- arguments of the program]
      swift package leaks --test [--filter REGEX] [--skip REGEX] [options]
      swift run findleaks …   the same, with all exit statuses

      --product NAME        Run this executable (default: the only one).
      --heap                Count the live objects at the end of the program, built
                            without a sanitizer, instead of leaks (default: off).
      --heap-json FILE      Append these counts to FILE (default: no file).
      --test                Run the tests instead of a program (default: off).
      --filter REGEX        Run only these tests; repeatable (default: all).
      --skip REGEX          Skip these tests; repeatable (default: none).
      --suppressions FILE   Ignore known leaks: 'leak:pattern' lines, each below a
                            comment with the reason; repeatable (default: none).
      --junit FILE          Write the result as JUnit XML (default: no file).
      --sarif FILE          Write the result as SARIF 2.1.0 (default: no file).
      --build-argument ARG  Pass ARG to swift build and swift test; repeatable, as
                            in --build-argument -c --build-argument release
                            (default: none).
      --package-path PATH   Check this package (default: the current folder).
      --scratch-path PATH   Build here (default: .build/findleaks of the package).
      --swift PATH          Use this driver (default: the first swift in PATH).
      -v, --verbose         Print the build, all frames and the used suppressions
                            (default: off).
      -h, --help            Show this help.

    EXIT STATUS: 0 no leak; 1 a leak, even if tests failed too; 2 no verdict: the
    build, the program or the tests failed, a memory error ended it, or no test ran;
    64 an option or a path is not allowed; 65 a suppression file is malformed.
    SwiftPM turns every status of a plugin except 0 into 1, and prints the original.

    The report excludes memory that is still reachable when the process ends, from a
    global variable, a running task or a property of an XCTestCase, which XCTest
    keeps. A function that is still running, such as the caller of exit, may hold an
    object that it no longer needs.
    """
}
