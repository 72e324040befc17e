import BenchmarkProgram
import Benchmarking
import YourCollection

await Weakbench.run(with: [
  Contestant(named: "your-dictionary", dictionary: YourDictionary<Int, Int>.self)
])
