/// One record of a CSV file: a row of fields, which may span lines.
struct CSVRecord: Equatable {
  struct Field: Equatable {
    var text: String
    /// The line where the field begins, counted from 1.
    var line: Int
  }

  var fields: [Field]

  /// The line where the record begins, counted from 1.
  var line: Int { fields[0].line }
}
