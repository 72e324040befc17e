import Benchmarking

/// Keeps times of builds that nobody ships out of the results.
enum BuildFitness {
  static func check(_ options: RunOptions) throws(CommandError) {
    guard !BuildKind.isFitForMeasuring && !options.allowUnoptimized else { return }
    throw refusal(of: BuildKind.name, arguments: Array(CommandLine.arguments.dropFirst(2)))
  }

  /// `arguments` are those after `run`.
  static func refusal(of build: String, arguments: [String]) -> CommandError {
    let words = arguments.map { " \($0.quotedForShell)" }.joined()
    return .usage(
      "this is a \(build) build, whose times mean nothing; type: scripts/bench\(words) "
        + "(or: swift run -c release weakbench run\(words); --allow-unoptimized runs it anyway)")
  }
}

extension String {
  /// As it is where a shell would leave it alone, otherwise in quotation marks.
  var quotedForShell: String {
    let isPlain = allSatisfy { character in
      character.isASCIIAlphanumeric || "-_=.,/:+@%".contains(character)
    }
    guard !isPlain || isEmpty else { return self }
    let parts = split(separator: "'", omittingEmptySubsequences: false)
    return "'\(parts.joined(separator: #"'\''"#))'"
  }
}
