/// The abstract type that a workload exercises, by its name on the command line and in CSV.
public enum WorkloadSubject: String, CaseIterable, Codable, Sendable {
  case weakArray = "weak-array"
  case dictionary
  case weakSet = "weak-set"
}
