// What the parts of a record are in JSON, both ways.

import LeakReports
import RuntimeInspection

extension LeakFinding {
  init(_ fields: JSONFields) throws(JSONError) {
    let grace = try fields.duration("after")
    switch try fields.needed(fields.name("finding", of: Kind.self), "finding") {
    case .excess: self = .excess(after: grace)
    case .survivor: self = .survivor(after: try fields.needed(grace, "after"))
    case .growth: self = .growth(try fields.needed(fields.counts("counts"), "counts"))
    case .unbinding: self = .unbinding
    }
  }

  var grace: Duration? {
    switch self {
    case .excess(let grace): grace
    case .survivor(let grace): grace
    case .growth, .unbinding: nil
    }
  }

  var counts: [Int]? {
    if case .growth(let counts) = self { counts } else { nil }
  }
}

extension CountSample {
  init(_ node: JSONNode) throws(JSONError) {
    guard case .list(let pair) = node.content, pair.count == 2,
      case .number(let seconds) = pair[0].content, case .number(let number) = pair[1].content,
      JSONText.durations ~= seconds, let count = JSONText.exact(number), count >= 0
    else {
      throw JSONError(offset: node.offset, expected: "a pair of seconds and a count, as in [0.5,2]")
    }
    self.init(time: .seconds(seconds), liveCount: count)
  }

  var json: String { "[\(JSONText.seconds(time)),\(JSONText.count(liveCount))]" }
}

extension LeakRecord.Survivor {
  init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "an instance that is alive")
    typeName = try fields.needed(fields.text("type"), "type")
    age = try fields.needed(fields.duration("age"), "age")
    fileID = try fields.text("file")
    line = try fields.count("line")
    path = try fields.node("path").map { node throws(JSONError) in try RetainPath(node) }
  }

  var json: String {
    JSONText.object([
      "type": JSONText.text(typeName), "age": JSONText.seconds(age),
      "file": fileID.map(JSONText.text),
      "line": line.map(String.init), "path": path?.json,
    ])
  }
}

extension MonitorCost {
  init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "what a monitor cost")
    self.init(
      validations: try fields.needed(fields.count("validations"), "validations"),
      backtraces: try fields.needed(fields.count("backtraces"), "backtraces"),
      total: try fields.needed(fields.duration("seconds"), "seconds"))
  }

  var json: String {
    JSONText.object([
      "validations": JSONText.count(validations), "backtraces": JSONText.count(backtraces),
      "seconds": JSONText.seconds(total),
    ])
  }
}

extension JSONFields {
  fileprivate func duration(_ name: String) throws(JSONError) -> Duration? {
    guard let seconds = try number(name) else { return nil }
    guard JSONText.durations ~= seconds else {
      throw JSONError(offset: node(name)!.offset, expected: "seconds from 0 to 1e9 for '\(name)'")
    }
    return .seconds(seconds)
  }
}
