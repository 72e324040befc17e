import LeakReports

extension SanitizerReport {
  /// SARIF 2.1.0, which code hosts show beside the lines: a result for each leak and each memory error, at
  /// the first frame in the package's own sources, with its stack. What left the question undecided is
  /// said of the run, which would else look like one that found nothing.
  package func sarif(_ verdict: LeakVerdict, in source: SourceRoot) -> String {
    let errors = memoryErrors.map { error in
      result("memory-error", "memory error: \(error.kind)", error.frames, in: source)
    }
    let leaks = leaks.map { leak in
      let message = "leak: \(leak.title(in: source)), \(LeakText.amount(leak))"
      return result("leak", message, leak.frames, in: source)
    }
    let rules = [
      ("leak", "Memory that nothing reachable refers to"),
      ("memory-error", "An access that AddressSanitizer refuses"),
    ].map { id, text in
      JSONText.object(["id": JSONText.text(id), "shortDescription": Self.message(text)])
    }
    let driver = JSONText.object([
      "name": JSONText.text("findleaks"), "rules": JSONText.list(rules),
    ])
    let run = JSONText.object([
      "tool": JSONText.object(["driver": driver]), "invocations": Self.invocations(verdict),
      "results": JSONText.list(errors + leaks),
    ])
    return JSONText.object([
      "$schema": JSONText.text("https://json.schemastore.org/sarif-2.1.0.json"),
      "version": JSONText.text("2.1.0"), "runs": JSONText.list([run]),
    ]) + "\n"
  }

  private static func invocations(_ verdict: LeakVerdict) -> String? {
    guard case .undecided(let why) = verdict else { return nil }
    let notification = JSONText.object(["level": JSONText.text("error"), "message": message(why)])
    let invocation = JSONText.object([
      "executionSuccessful": "false",
      "toolExecutionNotifications": JSONText.list([notification]),
    ])
    return JSONText.list([invocation])
  }

  private func result(
    _ rule: String, _ message: String, _ frames: [StackFrame], in source: SourceRoot
  ) -> String {
    let place = source.firstPlace(in: frames)
    let stack = JSONText.object([
      "frames": JSONText.list(frames.map { Self.stackFrame($0, in: source) })
    ])
    return JSONText.object([
      "ruleId": JSONText.text(rule), "level": JSONText.text("error"),
      "message": Self.message(message),
      "locations": JSONText.list(place.map { [Self.location(of: $0, in: source)] } ?? []),
      "stacks": JSONText.list([stack]),
      "partialFingerprints": JSONText.object([
        "stack/v1": JSONText.text(Self.fingerprint(of: frames))
      ]),
    ])
  }

  private static func message(_ text: String) -> String {
    JSONText.object(["text": JSONText.text(text)])
  }

  private static func stackFrame(_ frame: StackFrame, in source: SourceRoot) -> String {
    JSONText.object(["location": location(of: frame, in: source, message: frame.function)])
  }

  /// The place, if there is one, and what is said of it.
  private static func location(
    of frame: StackFrame, in source: SourceRoot, message: String? = nil
  ) -> String {
    let region = frame.line.map { line in
      JSONText.object([
        "startLine": JSONText.count(line), "startColumn": frame.column.map(JSONText.count),
      ])
    }
    let physical = source.relativePath(of: frame).map { path in
      JSONText.object([
        "artifactLocation": JSONText.object([
          "uri": JSONText.text(percentEncoded(path)), "uriBaseId": JSONText.text("%SRCROOT%"),
        ]),
        "region": region,
      ])
    }
    return JSONText.object([
      "physicalLocation": physical, "message": message.map(Self.message),
    ])
  }

  /// A relative path as a reference, in which a colon would end a scheme.
  static func percentEncoded(_ path: String) -> String {
    path.utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      let isPlain = byte < 128 && (character.isLetter || character.isNumber)
      if isPlain || "-._~/+@".contains(character) { return String(character) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }

  /// Of the names of the functions, by which a leak is known again after lines have moved (FNV-1a).
  static func fingerprint(of frames: [StackFrame]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in frames.map(\.function).joined(separator: "\n").utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    return String(hash, radix: 16)
  }
}
