/// The bindings that a `BindingAnalyzer` has registered so far, with their states.
///
/// It does not include the bindings of live view models that are registered as long-lived.
public struct BindingReport: Sendable, Equatable {
  /// The number of bindings that share each description.
  public var counts: [BindingRecord: Int]

  /// Creates a report of bindings.
  ///
  /// - Parameter counts: The number of bindings that share each description.
  public init(_ counts: [BindingRecord: Int] = [:]) {
    self.counts = counts
  }

  /// Returns the number of bindings in `state`.
  ///
  /// - Complexity: O(*n*) in the number of distinct descriptions.
  public func count(_ state: BindingState) -> Int {
    counts.reduce(0) { $1.key.state == state ? $0 + $1.value : $0 }
  }

  /// The bindings that are still bound, and those with an object that is alive after the unbinding.
  ///
  /// `text` lists them first.
  public var unreleased: [BindingRecord] { sorted.filter { $0.isUnreleased } }

  /// The bindings that were bound a second time without an unbinding in between.
  public var doublyBound: [BindingRecord] { sorted.filter(\.isDoublyBound) }

  /// The report as text, one line for each description, in the order of `BindingState`: unreleased
  /// bindings, abandoned ones, released ones, then unmatched unbindings.
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

  /// Appends the report and the current time to `file` as a line of JSON: see
  /// `BindingReportRecord`.
  ///
  /// Creates the file if it is missing. The line is one `write`, so threads and processes may share
  /// the file.
  ///
  /// - Parameter file: The path of the file.
  /// - Throws: `LeakFileError.unwritable` if the file cannot be opened or written.
  public func append(toFile file: String) throws(LeakFileError) {
    let record = BindingReportRecord(self, millisecondsSince1970: LeakRecord.now)
    try LeakFile.append(record.jsonLine + "\n", to: file)
  }

  /// Whether every binding was bound only once at a time, and is now either bound or released.
  ///
  /// It is false after a missing or unmatched unbinding, after binding a pair that is already
  /// bound, and while an object is alive after its unbinding. A pair that is still bound may be in
  /// use: see `unreleased`.
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
  /// Both objects were deallocated without an unbinding: a call is missing.
  case abandoned
  /// Unbound, and both objects are deallocated.
  case released
  /// Unbound without being bound: the call that binds the pair is missing, or has other objects.
  case unmatched
}

/// The description of a binding in a report, without its identity: two bindings of the same classes
/// at the same place have equal records.
public struct BindingRecord: Sendable, Hashable, CustomStringConvertible {
  /// The state of the binding when the report was made.
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
  /// Whether the pair was bound a second time without an unbinding in between.
  public var isDoublyBound: Bool
  /// The module and the file of the first binding, or of the unbinding if there was no binding.
  public var fileID: String
  /// The line of that call.
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

  /// The binding on one line: the classes, the name, the place and the state.
  public var description: String {
    let controller = controller.map { " and \($0)" } ?? ""
    let name = name.map { " (\($0))" } ?? ""
    return "\(viewModel)\(controller)\(name), from \(fileID):\(line): \(judgement)"
      + (isDoublyBound ? "; bound a second time before it was unbound" : "")
  }

  private var judgement: String {
    switch state {
    case .bound: "still bound, alive: \(alive)"
    case .surviving: "unbound, but alive: \(alive)"
    case .abandoned: "deallocated without being unbound"
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

/// A binding report and its time, as a line of a JSON Lines file.
///
/// The line is `{"schema":1,"time":…,"bindings":[…]}`, with the time in milliseconds since 1970.
/// A binding has these members, in this order. A member without a value is omitted, and later
/// versions may add members:
///
/// | name | meaning |
/// |---|---|
/// | `count` | the number of bindings with this description |
/// | `state` | `bound`, `surviving`, `abandoned`, `released` or `unmatched` |
/// | `viewModel`, `controller`, `name` | the classes, and the name of the binding |
/// | `viewModelIsAlive`, `controllerIsAlive` | whether the objects are alive |
/// | `isDoublyBound` | whether it was bound a second time before it was unbound |
/// | `file`, `line` | the place of the first binding, or of the unbinding if there was no binding |
public struct BindingReportRecord: Sendable, Equatable {
  /// The wall-clock time of the report, in milliseconds since 1970.
  public var millisecondsSince1970: Int
  /// The report.
  public var report: BindingReport

  /// Creates a record of a report.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - millisecondsSince1970: The wall-clock time of the report.
  public init(_ report: BindingReport, millisecondsSince1970: Int) {
    self.report = report
    self.millisecondsSince1970 = millisecondsSince1970
  }

  private static let schema = 1

  /// The record as one line of JSON, without a line end.
  public var jsonLine: String {
    JSONText.object([
      "schema": "\(Self.schema)", "time": JSONText.count(millisecondsSince1970),
      "bindings": JSONText.list(report.sorted.map { $0.json(count: report.counts[$0] ?? 0) }),
    ])
  }

  /// Reads a record from one line.
  ///
  /// - Parameters:
  ///   - jsonLine: The line in UTF-8, without its line end.
  ///   - file: The name of the file in errors.
  ///   - number: The number of the line in errors; lines count from 1.
  /// - Throws: `LeakFileError.malformed` with the place if the line is not a binding report.
  public init(jsonLine: some Collection<UInt8>, of file: String, number: Int) throws(LeakFileError)
  {
    self = try JSONParser.read(Array(jsonLine), of: file, firstLine: number, Self.init)
  }

  /// Reads the records of a JSON Lines file in order, skipping empty lines.
  ///
  /// - Parameter file: The path of the file.
  /// - Returns: The records in the order of the file.
  /// - Throws: `LeakFileError.unreadable` if the file cannot be read, or `.malformed` with the
  ///   place of the first line that is not a binding report.
  public static func records(inFile file: String) throws(LeakFileError) -> [BindingReportRecord] {
    try LeakFile.records(of: file, Self.init)
  }

  private init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a binding report")
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
