/// One thing that is measured for the limits: its place in the tables of figures.
public struct Figure: Hashable, Sendable {
  /// The table, such as `dictionary`.
  public var table: String
  /// Who or what is measured: a contestant or a loop to compare with.
  public var row: String
  /// At what.
  public var column: String

  public init(_ table: String, _ row: String, _ column: String) {
    self.table = table
    self.row = row
    self.column = column
  }
}
