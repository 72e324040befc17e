/// All bindings so far and their states, without those of long-lived view models.
public struct BindingReport: Sendable, Equatable {
  /// The number of bindings that share each description.
  public var counts: [BindingRecord: Int]

  public init(_ counts: [BindingRecord: Int] = [:]) {
    self.counts = counts
  }

  /// Returns the number of bindings in `state`.
  public func count(_ state: BindingState) -> Int {
    counts.reduce(0) { $1.key.state == state ? $0 + $1.value : $0 }
  }

  /// The bindings that are bound, or whose objects outlive their unbinding; `text` lists them
  /// first.
  public var unreleased: [BindingRecord] { sorted.filter { $0.isUnreleased } }

  /// The bindings that were bound again before they were unbound.
  public var doublyBound: [BindingRecord] { sorted.filter(\.isDoublyBound) }

  /// Lines for people: unreleased bindings, then mistakes, then released bindings.
  public var text: String {
    sorted.map { record in
      let count = counts[record] ?? 0
      return (count == 1 ? "" : "\(count) times ") + record.description
    }.joined(separator: "\n")
  }

  /// The bindings in the order of `text`.
  var sorted: [BindingRecord] {
    counts.keys.sorted { $0.order.lexicographicallyPrecedes($1.order) }
  }

  /// Appends the report and the time to `file` as a line of JSON: see `BindingReportRecord`.
  ///
  /// Creates the file if it is missing. The line is one `write`, so threads and processes may share
  /// the file.
  public func append(toFile file: String) throws(LeakFileError) {
    let record = BindingReportRecord(self, millisecondsSince1970: LeakRecord.now)
    try LeakFile.append(record.jsonLine + "\n", to: file)
  }

  /// Whether every finished binding was bound once and unbound once, as it was bound.
  ///
  /// Objects that are still bound may be in use; see `unreleased`.
  public var isWithoutMistakes: Bool {
    counts.keys.allSatisfy { record in
      (record.state == .bound || record.state == .released) && !record.isDoublyBound
    }
  }
}

/// The state of a binding.
public enum BindingState: String, Sendable, CaseIterable {
  /// Bound, and at least one of the two objects is alive.
  case bound
  /// Unbound, but at least one of the two objects is alive.
  case surviving
  /// Never unbound, though both objects are gone: an unbinding is missing.
  case abandoned
  /// Unbound, and both objects are gone.
  case released
  /// An unbinding of objects that were not bound.
  case unmatched
}

/// A binding in a report; bindings with the same description are equal.
public struct BindingRecord: Sendable, Hashable, CustomStringConvertible {
  public var state: BindingState
  /// The view model's class with its module, as in "App.ProfileModel"; the same in every run.
  public var viewModel: String
  /// The controller's class; nil if the binding has none.
  public var controller: String?
  /// The name of the binding, if it has one.
  public var name: String?
  /// Whether the view model is alive; false for an unmatched unbinding, where it is unknown.
  public var viewModelIsAlive: Bool
  /// Whether the controller is alive.
  public var controllerIsAlive: Bool
  /// Whether it was bound again before it was unbound.
  public var isDoublyBound: Bool
  /// The module and the file of the first binding, or of the unbinding if there was none.
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

  fileprivate var isUnreleased: Bool { state == .bound || state == .surviving }

  fileprivate var order: [String] {
    ["\(BindingState.allCases.firstIndex(of: state)!)", description]
  }
}

// MARK: - JSON

/// A report of bindings as a file holds it, with its time.
///
/// As JSON it is one line: `{"schema":1,"time":…,"bindings":[…]}`, with the time in milliseconds
/// since
/// 1970. A binding has these names, in this order; names without a value are omitted, and later
/// versions may add names:
///
/// | name | meaning |
/// |---|---|
/// | `count` | the number of bindings with this description |
/// | `state` | `bound`, `surviving`, `abandoned`, `released` or `unmatched` |
/// | `viewModel`, `controller`, `name` | the classes, and the name of the binding |
/// | `viewModelIsAlive`, `controllerIsAlive` | whether the objects are alive |
/// | `isDoublyBound` | whether it was bound again before it was unbound |
/// | `file`, `line` | the place of the first binding, or of the unbinding if there was none |
public struct BindingReportRecord: Sendable, Equatable {
  public var millisecondsSince1970: Int
  public var report: BindingReport

  public init(_ report: BindingReport, millisecondsSince1970: Int) {
    self.report = report
    self.millisecondsSince1970 = millisecondsSince1970
  }

  private static let schema = 1

  /// The report as one line without its line end.
  public var jsonLine: String {
    JSONText.object([
      "schema": "\(Self.schema)", "time": JSONText.count(millisecondsSince1970),
      "bindings": JSONText.list(report.sorted.map { $0.json(count: report.counts[$0] ?? 0) }),
    ])
  }

  /// Reads a report from one line; errors name `file` and the line `number`, from 1.
  ///
  /// - Throws: `LeakFileError.malformed` with the place if the line is not a report of bindings.
  public init(jsonLine: some Collection<UInt8>, of file: String, number: Int) throws(LeakFileError)
  {
    self = try JSONParser.read(Array(jsonLine), of: file, firstLine: number, Self.init)
  }

  /// Reads the reports of a file of JSON lines in order, skipping empty lines.
  ///
  /// - Throws: `LeakFileError` if the file cannot be read, or for the first line that is not a
  ///   report of bindings.
  public static func records(inFile file: String) throws(LeakFileError) -> [BindingReportRecord] {
    try LeakFile.records(of: file, Self.init)
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
