import BenchmarkProgram

await Weakbench.run()
