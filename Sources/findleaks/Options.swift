/// What the command line asks for.
struct Options {
  enum Subject: Equatable {
    /// - Parameter name: `nil` is the only executable there is.
    case product(name: String?)
    case tests
  }

  var subject = Subject.product(name: nil)
  var packagePath = "."
  var scratchPath: String?
  /// The driver, or what `PATH` leads to.
  var swift: String?
  var suppressions: [String] = []
  var jUnit: String?
  var sarif: String?
  /// For `swift build` and `swift test`, such as `-c release`.
  var buildArguments: [String] = []
  /// `--filter` and `--skip`, for `swift test`.
  var testArguments: [String] = []
  /// For the program.
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
