import CShims

/// A Linux control group (version 2) and the share of processor time that it grants.
struct ControlGroup {
  /// Its path below the root of all groups, beginning with a slash.
  let path: String
  /// Returns the first line of the file at a path.
  let readLine: (String) -> String?

  /// The group of this process; nil where there are none.
  static var current: ControlGroup? {
    // The line of version 2 alone has number 0 and no controllers.
    guard let line = line(at: "/proc/self/cgroup", beginningWith: "0::") else { return nil }
    return ControlGroup(
      path: String(line.dropFirst(3)), readLine: { Self.line(at: $0, beginningWith: "") })
  }

  /// The cores that the tightest quota of this group and those around it grants; nil without a quota.
  var cores: Int? {
    var tightest: Int?
    var names = path.split(separator: "/")[...]
    while true {
      let folder = names.map { "/" + $0 }.joined()
      if let limit = readLine("/sys/fs/cgroup\(folder)/cpu.max"), let cores = Self.cores(in: limit)
      {
        tightest = min(tightest ?? cores, cores)
      }
      if names.isEmpty { return tightest }
      names.removeLast()
    }
  }

  /// The cores that a `cpu.max` such as "150000 100000" grants, rounded up; nil for "max 100000".
  static func cores(in limit: String) -> Int? {
    let fields = limit.split(separator: " ")
    guard fields.count == 2, let quota = Int(fields[0]), let period = Int(fields[1]), period > 0
    else { return nil }
    return max(1, (quota + period - 1) / period)
  }

  private static func line(at path: String, beginningWith prefix: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard cws_read_line(path, prefix, buffer.baseAddress, buffer.count) else { return nil }
      return String(cString: buffer.baseAddress!)
    }
  }
}
