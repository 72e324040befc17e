import TerminalIO
import Measurements

/// Where rows go, one by one and whole: whatever ends the program, no half row stays behind.
struct RowSink: Sendable {

  private let file: OutputFile
  /// For what each role did; nil where workers have none.
  private let roles: OutputFile?

  /// Opens the destinations, and writes the headers unless there are rows already.
  init(
    opening destination: OutputDestination, roles: OutputDestination? = nil
  ) throws(CommandError) {
    file = try Self.open(destination, header: MeasurementCSV.header)
    self.roles = try roles.map { roles throws(CommandError) in
      try Self.open(roles, header: RoleCSV.header)
    }
  }

  private static func open(
    _ destination: OutputDestination, header: String
  ) throws(CommandError) -> OutputFile {
    let file = try OutputFile(opening: destination)
    if file.isEmpty { try file.write(header + "\n") }
    return file
  }

  func append(_ measurement: Measurement) throws(CommandError) {
    // First, so that whoever sees the trial's row sees its roles.
    try roles?.write(RoleCSV.lines(for: measurement))
    try file.write(MeasurementCSV.line(for: measurement) + "\n")
  }
}
