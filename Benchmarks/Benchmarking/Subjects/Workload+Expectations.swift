import Workloads

extension Workload {
  /// Whether every read must find something: what was there at the start stays.
  var findsEverything: Bool {
    behaviour == .replacing || mix.insert + mix.remove == 0 && behaviour == .steady
  }

  /// Whether every update is in some value at the end: nothing is set anew or removed.
  var countsUpdates: Bool {
    behaviour == .monitoring || mix.insert + mix.remove == 0 && behaviour == .steady
  }
}
