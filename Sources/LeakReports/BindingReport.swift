/// All bindings until now and what became of them, without those of long-lived view models.
public struct BindingReport: Sendable, Equatable {
  /// How many bindings there are of which the same can be said.
  public var counts: [BindingRecord: Int]

  public init(_ counts: [BindingRecord: Int] = [:]) {
    self.counts = counts
  }

  /// How many there are in a state.
  public func count(_ state: BindingState) -> Int {
    counts.reduce(0) { $1.key.state == state ? $0 + $1.value : $0 }
  }

  /// What is bound, or lives on after its unbinding, as text has it first.
  public var unreleased: [BindingRecord] { sorted.filter { $0.isUnreleased } }

  /// What was bound while it was bound.
  public var doublyBound: [BindingRecord] { sorted.filter(\.isDoublyBound) }

  /// Lines for people: what was not released, then mistakes, then what was released.
  public var text: String {
    sorted.map { record in
      let count = counts[record] ?? 0
      return (count == 1 ? "" : "\(count) times ") + record.description
    }.joined(separator: "\n")
  }

  /// As text has them.
  var sorted: [BindingRecord] {
    counts.keys.sorted { $0.order.lexicographicallyPrecedes($1.order) }
  }
}

extension BindingRecord {
  fileprivate var isUnreleased: Bool { state == .bound || state == .surviving }

  fileprivate var order: [String] {
    ["\(BindingState.allCases.firstIndex(of: state)!)", description]
  }
}

/// What became of a binding.
public enum BindingState: String, Sendable, CaseIterable {
  /// It was not undone, and one of the two lives.
  case bound
  /// It was undone, but one of the two lives on.
  case surviving
  /// It was not undone, though both are gone: an unbinding is missing.
  case abandoned
  /// It was undone, and both are gone.
  case released
  /// An unbinding of what was not bound.
  case unmatched
}

/// A binding in a report; equal to those of which the same can be said.
public struct BindingRecord: Sendable, Hashable {
  public var state: BindingState
  /// The view model's class with its module, as in "App.ProfileModel"; the same in every run.
  public var viewModel: String
  /// The controller's class, if it was bound to one.
  public var controller: String?
  /// The name it was bound by, if it was given one.
  public var name: String?
  /// Whether the view model lives; of an unmatched unbinding not known, and false.
  public var viewModelIsAlive: Bool
  /// Whether the controller lives.
  public var controllerIsAlive: Bool
  /// Whether it was bound while it was bound.
  public var isDoublyBound: Bool
  /// Where it was first bound, or unbound if it never was: the module and the file.
  public var fileID: String
  public var line: Int

  package init(
    state: BindingState, viewModel: String, controller: String?, name: String?,
    viewModelIsAlive: Bool, controllerIsAlive: Bool, isDoublyBound: Bool, fileID: String, line: Int
  ) {
    self.state = state
    self.viewModel = viewModel
    self.controller = controller
    self.name = name
    self.viewModelIsAlive = viewModelIsAlive
    self.controllerIsAlive = controllerIsAlive
    self.isDoublyBound = isDoublyBound
    self.fileID = fileID
    self.line = line
  }
}

extension BindingRecord: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    let controller = controller.map { " and \($0)" } ?? ""
    let name = name.map { " (\($0))" } ?? ""
    return "\(viewModel)\(controller)\(name), from \(fileID):\(line): \(judgement)"
      + (isDoublyBound ? "; was bound while it was bound" : "")
  }

  private var judgement: String {
    switch state {
    case .bound: "still bound, alive: \(alive)"
    case .surviving: "unbound, but alive: \(alive)"
    case .abandoned: "gone without being unbound"
    case .released: "released"
    case .unmatched: "unbound without being bound"
    }
  }

  private var alive: String {
    [(viewModelIsAlive, viewModel), (controllerIsAlive, controller)]
      .compactMap { isAlive, name in isAlive ? name : nil }.joined(separator: ", ")
  }
}

/// A report of bindings as a file holds it, and when it was made.
///
/// As JSON it is one line: `{"schema":1,"time":…,"bindings":[…]}`, with the time in milliseconds since 1970. A binding
/// has these names, in this order; those without a value are left out, and later versions may add others:
///
/// | name | what it says |
/// |---|---|
/// | `count` | of how many bindings the same can be said |
/// | `state` | `bound`, `surviving`, `abandoned`, `released` or `unmatched` |
/// | `viewModel`, `controller`, `name` | the classes, and what it was named |
/// | `viewModelIsAlive`, `controllerIsAlive` | whether they lived |
/// | `isDoublyBound` | whether it was bound while it was bound |
/// | `file`, `line` | where it was first bound, or unbound if it never was |
public struct BindingReportRecord: Sendable, Equatable {
  public var millisecondsSince1970: Int
  public var report: BindingReport

  public init(_ report: BindingReport, millisecondsSince1970: Int) {
    self.report = report
    self.millisecondsSince1970 = millisecondsSince1970
  }
}

extension BindingReport {
  /// Appends this and the time to `file` as a line of JSON: see `BindingReportRecord`.
  ///
  /// The file is made if it is missing. It is one `write`, so that threads and processes may share the file.
  public func append(toFile file: String) throws(LeakFileError) {
    let record = BindingReportRecord(self, millisecondsSince1970: LeakRecord.now)
    try LeakFile.append(record.jsonLine + "\n", to: file)
  }

  /// Whether there is nothing to mend: all that is over was undone, once and as it was bound.
  ///
  /// What is still bound may be in use; see `unreleased`.
  public var isWithoutMistakes: Bool {
    counts.keys.allSatisfy { record in
      (record.state == .bound || record.state == .released) && !record.isDoublyBound
    }
  }
}

extension BindingReportRecord {
  private static let schema = 1

  /// One line, without its end.
  public var jsonLine: String {
    JSONText.object([
      "schema": "\(Self.schema)", "time": JSONText.count(millisecondsSince1970),
      "bindings": JSONText.list(report.sorted.map { $0.json(count: report.counts[$0] ?? 0) }),
    ])
  }

  /// What one line of a file says; the file's name and the line's number, from 1, are for the error.
  ///
  /// - Throws: `LeakFileError.malformed` with the place if it is no report of bindings.
  public init(jsonLine: some Collection<UInt8>, of file: String, number: Int) throws(LeakFileError)
  {
    do throws(JSONError) {
      try self.init(try JSONParser.parse(Array(jsonLine)))
    } catch {
      throw error.located(in: jsonLine, of: file, firstLine: number)
    }
  }

  /// The reports of a file of JSON lines in their order, empty lines left out.
  ///
  /// - Throws: `LeakFileError` if it cannot be read, or the first line that is no report of bindings.
  public static func records(inFile file: String) throws(LeakFileError) -> [BindingReportRecord] {
    var records: [BindingReportRecord] = []
    for (number, line) in try LeakFile.lines(of: file) {
      records.append(try BindingReportRecord(jsonLine: line, of: file, number: number))
    }
    return records
  }

  private init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a report of bindings")
    try fields.require(schema: Self.schema)
    millisecondsSince1970 = try fields.needed(fields.count("time"), "time")
    var counts: [BindingRecord: Int] = [:]
    for node in try fields.needed(fields.list("bindings"), "bindings") {
      let (record, count) = try BindingRecord.counted(node)
      counts[record, default: 0] += count
    }
    report = BindingReport(counts)
  }
}

extension BindingRecord {
  fileprivate func json(count: Int) -> String {
    JSONText.object([
      "count": JSONText.count(count), "state": JSONText.text(state.rawValue),
      "viewModel": JSONText.text(viewModel), "controller": controller.map(JSONText.text),
      "name": name.map(JSONText.text), "viewModelIsAlive": "\(viewModelIsAlive)",
      "controllerIsAlive": "\(controllerIsAlive)", "isDoublyBound": "\(isDoublyBound)",
      "file": JSONText.text(fileID), "line": "\(line)",
    ])
  }

  fileprivate static func counted(_ node: JSONNode) throws(JSONError) -> (BindingRecord, Int) {
    let fields = try JSONFields(node, "a binding")
    let record = BindingRecord(
      state: try fields.needed(fields.name("state", of: BindingState.self), "state"),
      viewModel: try fields.needed(fields.text("viewModel"), "viewModel"),
      controller: try fields.text("controller"), name: try fields.text("name"),
      viewModelIsAlive: try fields.needed(fields.flag("viewModelIsAlive"), "viewModelIsAlive"),
      controllerIsAlive: try fields.needed(fields.flag("controllerIsAlive"), "controllerIsAlive"),
      isDoublyBound: try fields.needed(fields.flag("isDoublyBound"), "isDoublyBound"),
      fileID: try fields.needed(fields.text("file"), "file"),
      line: try fields.needed(fields.count("line"), "line"))
    return (record, try fields.needed(fields.count("count"), "count"))
  }
}
