import CShims

/// What this process runs on and was built with, as far as it bears on how fast collections are.
public enum Host {
  /// The cores that this process may use: its affinity or its control group's quota, rounded up,
  /// whichever is less; read once.
  public static let usableCores: Int = {
    let allowed = cws_affinity_cores()
    let cores = allowed > 0 ? Int(allowed) : hostCores
    return max(1, min(cores, ControlGroup.current?.cores ?? cores))
  }()

  /// The machine's cores, whether this process may use them or not; read once.
  public static let hostCores: Int = max(1, Int(cws_online_cores()))

  /// How `Synchronization.Mutex` waits here: "priority-inheritance" is Linux's priority-inheriting futex,
  /// "adaptive" its successor of Swift 6.4, "unfair-lock" Apple's, "slim-lock" Windows's.
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

  /// The compiler that built this module, as in "6.3"; "unlisted" for one newer than this source.
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

  /// The processor architecture this module was built for, as in "x86_64".
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
