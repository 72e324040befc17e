import Workloads

extension Workload {
  /// Whether every read must find something: what was there at the start stays.
  var findsEverything: Bool {
    mix.insert + mix.remove == 0 && behaviour == .steady
  }
}
