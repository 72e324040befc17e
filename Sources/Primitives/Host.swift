import CShims

/// The machine and the compiler, as far as they affect the speed of collections.
public enum Host {
  /// The number of cores that this process may use: the smaller of its affinity and its control
  /// group's quota, which is rounded up. Read once.
  public static let usableCores: Int = {
    let allowed = cws_affinity_cores()
    let cores = allowed > 0 ? Int(allowed) : hostCores
    return max(1, min(cores, ControlGroup.current?.cores ?? cores))
  }()

  /// The number of the machine's cores, including those that this process may not use. Read once.
  public static let hostCores: Int = max(1, Int(cws_online_cores()))

  /// The algorithm of `Synchronization.Mutex` on this system.
  ///
  /// - "priority-inheritance": Linux, a priority-inheriting futex;
  /// - "adaptive": Linux with Swift 6.4 or later;
  /// - "unfair-lock": Apple platforms;
  /// - "slim-lock": Windows;
  /// - "unknown": any other system.
  public static var mutexFlavor: String {
    #if canImport(Darwin)
      "unfair-lock"
    #elseif os(Windows)
      "slim-lock"
    #elseif os(Linux) || os(Android)
      #if compiler(>=6.4)
        "adaptive"
      #else
        "priority-inheritance"
      #endif
    #else
      "unknown"
    #endif
  }

  /// The compiler that built this module, such as "6.3"; "unlisted" if it is newer than this
  /// source.
  public static var compilerVersion: String {
    #if compiler(>=7.0)
      "unlisted"
    #elseif compiler(>=6.9)
      "6.9"
    #elseif compiler(>=6.8)
      "6.8"
    #elseif compiler(>=6.7)
      "6.7"
    #elseif compiler(>=6.6)
      "6.6"
    #elseif compiler(>=6.5)
      "6.5"
    #elseif compiler(>=6.4)
      "6.4"
    #else
      "6.3"
    #endif
  }

  /// The processor architecture of this build, such as "x86_64".
  public static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #elseif arch(i386)
      "i386"
    #elseif arch(arm)
      "arm"
    #else
      "unknown"
    #endif
  }
}

/// A Linux control group (version 2) with a quota of processor time.
struct ControlGroup {
  /// The path of the group below the root group, beginning with a slash.
  let path: String
  /// Returns the first line of the file at a path.
  let readLine: (String) -> String?

  /// The group of this process; nil if it is in none.
  static var current: ControlGroup? {
    // Only the line of version 2 has the number 0 and no controllers.
    guard let line = line(at: "/proc/self/cgroup", beginningWith: "0::") else { return nil }
    return ControlGroup(
      path: String(line.dropFirst(3)), readLine: { Self.line(at: $0, beginningWith: "") })
  }

  /// The number of cores that the tightest quota of this group and its ancestors grants; nil
  /// without a quota.
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

  /// Returns the number of cores that a `cpu.max` such as "150000 100000" grants, rounded up; nil
  /// for "max 100000".
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
