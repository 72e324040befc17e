import CPeers
import Workloads

/// Another language's map, in builds with the trait `Peers`.
enum ForeignMap: String, CaseIterable, Sendable {
  case tbb = "tbb"
  case urcu = "liburcu"
  case sharedMutex = "shared-mutex"

  static var available: [ForeignMap] { cp_is_available() ? allCases : [] }

  /// In its own language.
  var typeName: String {
    switch self {
    case .tbb: "tbb::concurrent_hash_map"
    case .urcu: "cds_lfht (memb)"
    case .sharedMutex: "std::unordered_map + std::shared_mutex"
    }
  }

  /// They have the operations that every map has, and map integers to integers.
  static func supports(_ workload: Workload) -> Bool {
    guard workload.mix.update + workload.mix.iterate == 0, workload.entries == .integerToInteger
    else { return false }
    return [.steady, .replacing, .turningOver].contains(workload.behaviour)
  }

  func make(capacity: Int) -> OpaquePointer {
    let kind =
      switch self {
      case .tbb: CP_TBB
      case .urcu: CP_URCU
      case .sharedMutex: CP_SHARED_MUTEX
      }
    return cp_make(kind, Int64(capacity))
  }
}
