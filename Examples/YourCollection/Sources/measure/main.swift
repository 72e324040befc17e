import Benchmarking
import Measurements
import WeakCollections
import Workloads
import YourCollection

// Your type, and those that it is compared with.
let contestants = [
  Contestant(named: "your-dictionary", dictionary: YourDictionary<Int, Int>.self),
  Contestant.named("mutex", for: .dictionary)!,
  Contestant.named("lock-free", for: .dictionary)!,
]
var benchmark = Benchmark(
  of: contestants, workloads: [try .named("read-heavy", for: .dictionary)], threads: [1, 2])
if CommandLine.arguments.contains("--quick") { (benchmark.trials, benchmark.seconds) = (2, 0.05) }

print(MeasurementCSV.text(of: try await benchmark.run()), terminator: "")
