extension MeasurementCSV {
  /// What a row has in one column, as the file has it; `nil` if there is no such column.
  public static func text(ofColumn name: String, in measurement: Measurement) -> String? {
    columns.first { $0.name == name }?.text(measurement)
  }
}
