import LeakReports

/// A sanitizer report as text.
package struct LeakText: Sendable {
  private let report: SanitizerReport
  private let source: SourceRoot
  private let showsAllFrames: Bool

  /// Creates the text of a report.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - source: The folder of the package.
  ///   - showsAllFrames: Whether to show the frames of other packages too.
  package init(_ report: SanitizerReport, in source: SourceRoot, showsAllFrames: Bool) {
    self.report = report
    self.source = source
    self.showsAllFrames = showsAllFrames
  }

  /// Returns a paragraph for each memory error and each leak, then the totals or the verdict, and
  /// then the side tables if there are any.
  package func text(_ verdict: LeakVerdict) -> String {
    var text = ""
    for error in report.memoryErrors {
      text += "memory error: \(error.kind)\n" + stack(error.frames) + "\n"
    }
    for leak in report.leaks {
      text += "leak: \(leak.title(in: source)), \(Self.amount(leak))\n" + stack(leak.frames) + "\n"
    }
    return text + summary(verdict) + "\n"
  }

  private func stack(_ frames: [StackFrame]) -> String {
    let own = frames.filter(source.isOwn)
    let others = frames.filter { !source.isOwn($0) }
    // A stack without frames of the package shows its innermost frames.
    let shown = showsAllFrames ? others[...] : own.isEmpty ? others.prefix(12) : []
    var lines = own.map(line) + shown.map(line)
    let left = others.count - shown.count
    if left > 0 { lines.append("  and \(left) other frames; --verbose shows them") }
    return lines.map { $0 + "\n" }.joined()
  }

  private func line(_ frame: StackFrame) -> String {
    "  \(frame.function)" + (source.place(of: frame).map { " at \($0)" } ?? "")
  }

  private func summary(_ verdict: LeakVerdict) -> String {
    let total = report.leaks.reduce(LeakedStack(objects: 0, bytes: 0, frames: []), +)
    let stacks = report.leaks.count == 1 ? "1 stack" : "\(report.leaks.count) stacks"
    let leaks = "leaked: \(Self.amount(total)), from \(stacks)"
    var text =
      switch verdict {
      case .clean: "no leak"
      case .leaks: leaks
      case .memoryError: "a memory error ended the program; its leaks are unknown"
      case .undecided(let why): (report.leaks.isEmpty ? "" : leaks + "; ") + why
      }
    if report.sideTables.objects > 0 {
      text +=
        "\n(also \(Self.amount(report.sideTables)) of side tables of weak references, "
        + "which are not leaks)"
    }
    return text
  }

  static func amount(_ leak: LeakedStack) -> String {
    let objects = leak.objects == 1 ? "1 object" : "\(leak.objects) objects"
    return "\(objects), \(leak.bytes) \(leak.bytes == 1 ? "byte" : "bytes")"
  }
}

// MARK: JUnit XML and SARIF

extension SanitizerReport {
  /// Returns the report as JUnit XML.
  ///
  /// It has a failed test case for each leak, for each memory error and for an undecided verdict; a
  /// clean run has one passed test case.
  package func jUnit(_ verdict: LeakVerdict, in source: SourceRoot) -> String {
    var cases = memoryErrors.map { error in
      testCase("memory error", error.kind, error.frames, in: source)
    }
    cases += leaks.map { leak in
      let what = "\(leak.title(in: source)), \(LeakText.amount(leak))"
      return testCase("leak", what, className: leak.title(in: source), leak.frames, in: source)
    }
    switch verdict {
    case .undecided(let why):
      let outcome = JUnitDocument.Outcome.failed(type: "undecided", message: why, details: why)
      cases.append(.init(className: "findleaks", name: "undecided", outcome))
    case .clean:
      cases.append(.init(className: "findleaks", name: "no leak", .passed()))
    case .leaks, .memoryError: break
    }
    return JUnitDocument(suite: "leaks", cases: cases).text
  }

  private func testCase(
    _ type: String, _ what: String, className: String = "findleaks", _ frames: [StackFrame],
    in source: SourceRoot
  ) -> JUnitDocument.TestCase {
    let place = source.firstPlace(in: frames)
    let stack = frames.map { "\($0.function) \(source.place(of: $0) ?? "")" }
    return JUnitDocument.TestCase(
      className: className, name: type, file: place.flatMap(source.relativePath), line: place?.line,
      .failed(type: type, message: what, details: ([what] + stack).joined(separator: "\n")))
  }
}

extension SanitizerReport {
  /// Returns the report as SARIF 2.1.0, a format that code hosts show beside the source lines.
  ///
  /// It has a result for each leak and each memory error, with its stack. The location of a result
  /// is the first frame in the package's own sources. An undecided verdict becomes a notification;
  /// without it, the run would look like one without leaks.
  package func sarif(_ verdict: LeakVerdict, in source: SourceRoot) -> String {
    let errors = memoryErrors.map { error in
      result("memory-error", "memory error: \(error.kind)", error.frames, in: source)
    }
    let leaks = leaks.map { leak in
      let message = "leak: \(leak.title(in: source)), \(LeakText.amount(leak))"
      return result("leak", message, leak.frames, in: source)
    }
    let rules = [
      ("leak", "Unreachable memory that was not freed"),
      ("memory-error", "A memory access that AddressSanitizer rejects"),
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

  /// Returns a SARIF location: the place of a frame in the package, if it has one, and a message.
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

  /// Returns a relative path as a URI reference. It encodes colons too: text before a colon would
  /// be the scheme.
  static func percentEncoded(_ path: String) -> String {
    path.utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      let isPlain = byte < 128 && (character.isLetter || character.isNumber)
      if isPlain || "-._~/+@".contains(character) { return String(character) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }

  /// Returns a hash (FNV-1a) of the functions' names. It identifies a leak even if the line numbers
  /// in its stack change.
  static func fingerprint(of frames: [StackFrame]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in frames.map(\.function).joined(separator: "\n").utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    return String(hash, radix: 16)
  }
}

// MARK: Places

/// The folder of the checked package. Reports show the frames in its sources first.
package struct SourceRoot: Sendable {
  private let folder: String

  /// Creates the folder with an absolute path.
  package init(_ folder: String) {
    self.folder = folder.hasSuffix("/") ? folder : folder + "/"
  }

  /// Returns whether the frame is in a source of the package.
  ///
  /// Sources in a hidden folder do not count: a dependency's checkout, or generated code.
  func isOwn(_ frame: StackFrame) -> Bool {
    guard let path = relativePath(of: frame) else { return false }
    return !path.split(separator: "/").contains { $0.hasPrefix(".") }
  }

  /// Returns the first frame in the package's own sources with a known line.
  func firstPlace(in frames: [StackFrame]) -> StackFrame? {
    frames.first { isOwn($0) && $0.line != nil }
  }

  /// Returns the path relative to the folder of the package; nil for a file outside of it.
  func relativePath(of frame: StackFrame) -> String? {
    guard let file = frame.file, file.hasPrefix(folder) else { return nil }
    return String(file.dropFirst(folder.count))
  }

  /// Returns a place such as `Sources/App/Screen.swift:13:19`.
  func place(of frame: StackFrame) -> String? {
    guard let file = relativePath(of: frame) ?? frame.file ?? frame.image else { return nil }
    let numbers = [frame.line, frame.column].compactMap { $0.map { ":\($0)" } }
    return file + numbers.joined()
  }
}
