import TerminalIO
import Linearizability

/// What `weakstress check --help` says beyond the options.
enum CheckHelp {
  static let text = """
    A history is a line for each operation, such as this one, broken here to fit:

      {"worker":0,"call":10,"return":25,"operation":"append",
       "key":"x","arguments":["y"],"result":null}

    Stamps are whole numbers of one clock; an operation comes before another if its return is smaller than \
    the other's call. A return of null says that the operation never returned: it may or may not have \
    happened. The key tells registers, arrays or a dictionary's entries apart, each checked alone; \
    without one there is one register or array. Values are strings; a register and an entry are null at \
    first, and compare-and-set takes null for no value.

    The verdict is linearizable (status 0), illegal (1) with the smallest counterexample found, or \
    unknown (3) if the time is up. A file that is damaged or does not fit the model ends with status 65 \
    and its first bad place.

    \(RecordedObject.allCases.map(operations).joined(separator: "\n\n"))

    In a weak array an object's death is an operation: from before the last strong release that its \
    recorder knows of, to after its deinit was seen. A lookup that returned the object may keep it alive \
    for longer. The object is found until one moment between the two, the same for everybody, and never after \
    it. A die that was never seen to end may have no return.
    """

  private static func operations(of object: RecordedObject) -> String {
    let table = TextTable(
      columns: [.init(), .init()],
      rows: object.signatures.map { signature in
        [
          ([signature.name] + signature.parameters.map { "<\($0)>" }).joined(separator: " "),
          signature.result,
        ]
      })
    return "OPERATIONS OF \(object.rawValue.uppercased()), AND THEIR RESULTS:\n"
      + table.lines.map { "  \($0)" }.joined(separator: "\n")
  }
}
