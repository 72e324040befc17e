// Compiled with the sources of Linearizability into one module; see scripts/fuzz.

/// Reads the bytes as a history of each model, which must never trap, whatever they are.
///
/// What can be read is written and read again, and must be the same; and it is checked, for so long
/// as that takes a moment. Each log is read as such, whatever its format seems to be.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHistory(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: bytes, count: count))
  let registers = KeyedModel<RegisterModel<String>, String?>(RegisterModel())
  read(bytes, registers)
  read(bytes, registers, .jepsen)
  read(bytes, DictionaryModel<String, String>())
  read(bytes, DictionaryModel<String, String>(initialValue: ""), .porcupine)
  read(bytes, KeyedModel<WeakArrayModel<String>, String?>(WeakArrayModel()))
  return 0
}

private func read<Model: RecordedModel>(
  _ bytes: [UInt8], _ model: Model, _ format: HistoryFile.Format = .jsonLines
) {
  do {
    let history = try HistoryFile.history(in: bytes, of: model, format: format)
    let text = HistoryFile.text(of: history, model)
    let copy = try HistoryFile.history(in: Array(text.utf8), of: model)
    precondition(HistoryFile.text(of: copy, model) == text, "what is written is read back")
    _ = Checker(model, stepLimit: 1000).check(history)
  } catch {
    check(error)
  }
}

private func check(_ error: HistoryFileError) {
  precondition(error.line > 0 && error.column > 0, "an error has a place")
  precondition(!error.description.contains(where: \.isNewline), "an error is one line")
  #if PLANTED_TRAP
    if error.line > 1 && error.expected == "text in UTF-8" { fatalError("planted") }
  #endif
}
