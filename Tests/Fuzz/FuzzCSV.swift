// Compiled with the sources of Measurements into one module; see scripts/fuzz.

/// Reads the bytes as a file of measurements, which must never trap, whatever they are.
///
/// What can be read and may be written is written and read again, and must be the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCSV(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  _ = try? MeasurementCSV.columnNames(in: text)
  do {
    let measurements = try MeasurementCSV.measurements(in: text)
    _ = Summary.summaries(of: measurements)
    let writable = measurements.filter { MeasurementCSV.invalidColumn(in: $0) == nil }
    let copies = try MeasurementCSV.measurements(in: MeasurementCSV.text(of: writable))
    precondition(copies == writable, "what is written is read back")
  } catch {
    check(error)
  }
  return 0
}

private func check(_ error: ResultsError) {
  let description = error.description
  precondition(!description.isEmpty, "an error says something")
  precondition(!description.contains(where: \.isNewline), "an error is one line")
  #if PLANTED_TRAP
    if case .strayQuote(let line, _) = error, line > 1 { fatalError("planted") }
  #endif
}
