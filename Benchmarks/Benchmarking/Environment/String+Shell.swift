extension String {
  /// As it is where a shell would leave it alone, otherwise in quotation marks.
  package var quotedForShell: String {
    let isPlain = allSatisfy { character in
      character.isASCIIAlphanumeric || "-_=.,/:+@%".contains(character)
    }
    guard !isPlain || isEmpty else { return self }
    let parts = split(separator: "'", omittingEmptySubsequences: false)
    return "'\(parts.joined(separator: #"'\''"#))'"
  }
}
