import Measurements
import WeakCollections
import Workloads

/// Everything that is measured for the limits, and what is asked of it.
public enum LimitCatalog {
  /// How many keys a dictionary has, or half has.
  public static let keys = 1024
  static let subject = Backend.lockFree.rawValue
  /// The key that all threads read where they read one, and how often between two looks at the clock.
  static let oneKey = 7
  static let readsOfOneKey = 4096

  /// The tables of figures, in their order.
  public enum Table: String, CaseIterable, Sendable {
    case dictionary, threads
    case classValues = "class-values"
    case scans = "weak-array"
    case ownArrays = "own-arrays"
    case bytes, objects, harness, monitor, chooser

    /// What is measured there, and in which unit.
    public var title: String {
      switch self {
      case .dictionary:
        "Dictionary from Int to Int, 1,024 keys, uniform, shared by 2 threads: ns, all threads together"
      case .threads: "The same dictionary on other numbers of threads: ns, all threads together"
      case .classValues: "Class values, all threads reading one key: ns, all threads together"
      case .scans: "Weak array of 1,000 live elements, one thread: ns an element"
      case .ownArrays:
        "Weak arrays of 1,000, one for each thread: ns an element, all threads together"
      case .bytes: "Memory: bytes"
      case .objects: "An object that weak arrays may track: ns"
      case .harness: "What the benchmark itself costs: ns"
      case .monitor: "The leak monitor, one thread: ns a validation"
      case .chooser: "The chooser"
      }
    }
  }

  /// A dictionary workload, and the limit that it is measured for.
  public struct DictionaryRow: Sendable {
    public let limit: String
    public let workload: Workload
  }

  public static let dictionaryRows =
    [DictionaryRow(limit: "read-only", workload: dictionary("read-only"))]
    + [("writes-1", "one"), ("writes-10", "ten"), ("writes-50", "fifty")].flatMap { limit, share in
      ["replace", "turnover"].map { kind in
        DictionaryRow(limit: limit, workload: dictionary("\(kind)-\(share)"))
      }
    }

  static let readHeavy = dictionary("read-heavy")

  /// Where another language's measurement of one of `dictionaryRows` belongs.
  public static func dictionaryFigure(_ row: String, _ workload: Workload) -> Figure {
    .dictionary(row, workload.name)
  }

  static let bareLoop = "bare loop"
  static let unshared = "unshared"
  static let adaptive = "adaptive-lock"
  public static let jdk = "jdk"

  static let readOnce = "read-only ×1"
  static let readHeavyTwice = "read-heavy ×2"
  static let readHeavyOver = "read-heavy ×8"
  static let classValueColumns = ["withValue ×1", "withValue ×2", "value ×1", "value ×2"]
  static let aloneColumns = ["forEach ×1", "forEach ×2", "append ×1", "append ×2"]
  static let bareColumns = ["forEach ×1", "forEach ×2"]
  static let bytesPerElement = "per live element"
  static let bytesOnObject = "left on an object"
  static let bytesLive = "live set with objects"
  static let bytesAfterChurn = "after a million appends"
  static let bytesPerPair = "per pair of Int"

  private static func dictionary(_ name: String) -> Workload {
    do {
      return try Workload.named(name, for: .dictionary)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
