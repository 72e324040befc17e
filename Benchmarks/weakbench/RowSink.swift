import Measurements

/// Where rows go, one by one and whole: whatever ends the program, no half row stays behind.
struct RowSink: ~Copyable {
  private let file: OutputFile

  /// Opens the destination, and writes the header unless there are rows already.
  init(opening destination: OutputDestination) throws(CommandError) {
    let file = try OutputFile(opening: destination)
    if file.isEmpty { try file.write(MeasurementCSV.header + "\n") }
    self.file = file
  }

  borrowing func append(_ measurement: Measurement) throws(CommandError) {
    try file.write(MeasurementCSV.line(for: measurement) + "\n")
  }
}
