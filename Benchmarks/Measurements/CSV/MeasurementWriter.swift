/// A writer of one file of a run's results, trial by trial.
package protocol ResultsWriter: Sendable {
  /// Creates a writer of a new file.
  ///
  /// - Parameter parts: The parts of rows that the run can measure.
  init(parts: Set<MeasurementCSV.Part>)

  /// Creates a writer that appends rows to a file.
  ///
  /// - Parameters:
  ///   - parts: The parts of rows that the run can measure.
  ///   - file: The text of the file, whose header determines the columns.
  /// - Throws: An error if the file lacks a column of `parts`.
  init(parts: Set<MeasurementCSV.Part>, continuing file: String) throws(ResultsError)

  /// The first line of the file.
  var header: String { get }

  /// Returns the lines of one trial.
  ///
  /// - Precondition: `invalidColumn(in:)` is `nil`.
  mutating func lines(for measurement: Measurement) -> String

  /// Returns the first column whose value cannot be written, because it is not allowed or the file
  /// lacks the column; `nil` if there is none.
  func invalidColumn(in measurement: Measurement) -> String?
}

/// A writer of a file of measurements, in the format of this version or an earlier one.
///
/// Before the first row of a session, it writes the line with the session's facts.
package struct MeasurementWriter: ResultsWriter {
  private let rows: RowWriter<Measurement>
  /// The facts that have no column.
  private let facts: [Column<Measurement>]
  /// The texts of the facts of each session whose line has been written.
  private var sessions: [Measurement.Session: [String]] = [:]

  package init(parts: Set<MeasurementCSV.Part>) {
    rows = RowWriter(MeasurementCSV.rowColumns, parts: parts)
    facts = MeasurementCSV.factColumns
  }

  package init(parts: Set<MeasurementCSV.Part>, continuing file: String) throws(ResultsError) {
    let header = try MeasurementCSV.columnNames(in: file)
    rows = try RowWriter(
      MeasurementCSV.columns(ofHeader: header), parts: parts, continuing: header)
    facts = MeasurementCSV.sessionFacts(ofHeader: header)
  }

  /// Creates a writer of the measurements.
  ///
  /// A fact becomes a column if it differs between the rows of a session, as it may in an edited
  /// file.
  init(of measurements: [Measurement]) {
    let sessions = Dictionary(grouping: measurements, by: \.session).values
    func varies(_ fact: Column<Measurement>) -> Bool {
      sessions.contains { Set($0.map(fact.text)).count > 1 }
    }
    facts = MeasurementCSV.factColumns.filter { !varies($0) }
    rows = RowWriter(
      MeasurementCSV.factColumns.filter(varies) + MeasurementCSV.rowColumns, of: measurements)
  }

  package var header: String { rows.header }

  package mutating func lines(for measurement: Measurement) -> String {
    if let name = invalidColumn(in: measurement) {
      fatalError(
        "the value of '\(name)' in row \(measurement.identity.row) cannot be written as CSV; "
          + "check invalidColumn(in:) first")
    }
    let texts = facts.map { $0.text(measurement) }
    let isKnown = sessions.updateValue(texts, forKey: measurement.session) != nil
    let line = isKnown || facts.isEmpty ? "" : SessionLine.text(of: measurement, facts)
    return line + rows.line(for: measurement)
  }

  /// A fact cannot be written either if it contradicts an earlier row of its session.
  package func invalidColumn(in measurement: Measurement) -> String? {
    let known = sessions[measurement.session] ?? facts.map { $0.text(measurement) }
    return rows.invalidColumn(in: measurement)
      ?? zip(facts, known).first { fact, text in
        !fact.isWritable(measurement) || fact.text(measurement) != text
      }?.0.name
  }
}
