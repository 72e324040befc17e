import TerminalIO
import Measurements
import Reporting

/// Rows of several files, each of one or more shards of one plan, put together again.
struct ShardMerge {
  struct File {
    let path: String
    let rows: [Measurement]
  }

  /// By shard; those of one in the order of its file.
  let rows: [Measurement]
  /// Shards that no file has a row of.
  let missing: [Shard]

  /// Refuses what is not all of one plan, or there twice.
  init(_ files: [File]) throws(CommandError) {
    try Self.checkThatPlansAgree(files)
    var paths: [Shard: String] = [:]
    var found: [(shard: Shard, row: Measurement)] = []
    for file in files {
      for row in file.rows {
        let shard = try Self.shard(of: row, in: file.path)
        found.append((shard, row))
        if let other = paths.updateValue(file.path, forKey: shard), other != file.path {
          throw Self.badData(file.path, "shard \(shard.name) is in \(other) too")
        }
      }
    }
    guard let count = found.first?.shard.count else { throw .badRows("there are no rows") }
    if let other = paths.keys.first(where: { $0.count != count }) {
      throw Self.badData(
        paths[other] ?? "", "shard \(other.name) is one of \(other.count), others are of \(count)")
    }
    missing = (1...count).compactMap { Shard($0, of: count) }.filter { paths[$0] == nil }
    rows = (1...count).flatMap { number in found.filter { $0.shard.number == number }.map(\.row) }
    try Self.checkThatTrialsAreThereOnce(rows)
  }

  private static func shard(of row: Measurement, in path: String) throws(CommandError) -> Shard {
    guard let name = row.identity.shard, row.identity.plan != nil else {
      throw badData(
        path, "the row \(row.identity.row) is of no shard (allowed: rows of weakbench run --shard)")
    }
    guard let shard = Shard(name: name) else {
      throw badData(path, "the row \(row.identity.row) is of shard \(name.quotedOnOneLine)")
    }
    return shard
  }

  private static func checkThatPlansAgree(_ files: [File]) throws(CommandError) {
    let rows = files.flatMap { file in file.rows.map { (path: file.path, row: $0) } }
    guard let first = rows.first,
      let other = rows.first(where: { $0.row.identity.plan != first.row.identity.plan })
    else { return }
    let columns = Measurement.Environment.planColumns + ["requested_seconds"]
    let difference = columns.lazy.compactMap { column -> String? in
      let theirs = MeasurementCSV.text(ofColumn: column, in: other.row) ?? ""
      let ours = MeasurementCSV.text(ofColumn: column, in: first.row) ?? ""
      return theirs == ours ? nil : "its \(column) is \(theirs), that of \(first.path) \(ours)"
    }.first
    throw badData(
      other.path,
      "is of another plan than \(first.path): "
        + (difference ?? "another seed, or other workloads, backends, threads, sizes or repetitions")
    )
  }

  private static func checkThatTrialsAreThereOnce(_ rows: [Measurement]) throws(CommandError) {
    var seen: [PlannedRow: String] = [:]
    for row in rows {
      if let other = seen.updateValue(row.identity.row, forKey: PlannedRow(row)) {
        throw .badRows("the rows \(other) and \(row.identity.row) are of one trial")
      }
    }
  }

  private static func badData(_ path: String, _ text: String) -> CommandError {
    .badRows("\(path): \(text)")
  }
}

extension CommandError {
  fileprivate static func badRows(_ text: String) -> CommandError {
    CommandError(status: .badData, description: text)
  }
}
