import Measurements

/// A name that two plans share only if they make the same trials with the same program.
enum PlanName {
  /// `environment` is that of the rows; machines do not matter, but for their cores.
  static func text(of rows: [PlannedRow], in environment: Measurement.Environment) -> String {
    let known = [
      environment.commit, environment.swift, environment.mutexFlavor, environment.allocator,
      environment.buildConfiguration, "\(environment.cores)",
    ].map { $0 ?? "" }
    let digest = digest(of: (known + rows.map(\.line)).joined(separator: "\n"))
    let digits = String(digest, radix: 16)
    return "plan-\(String(repeating: "0", count: 16 - digits.count))\(digits)"
  }

  /// FNV-1a of 64 bits: against mistakes, not against malice.
  private static func digest(of text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
