/// The abstract type that a workload exercises, by its name on the command line and in CSV.
public enum WorkloadSubject: String, CaseIterable, Sendable {
  case weakArray = "weak-array"
  case dictionary
}
