import CInterleaving
import Threading

/// A text that standard error gets if a trap ends this process.
package final class TrapNote: Sendable {
  private let number = Monitor<Int32>(-1)

  /// Creates a note without a text.
  package init() {}

  deinit { cil_remove_trap_note(number.read { $0 }) }

  /// Replaces the text.
  package func expect(_ text: String) {
    number.change { number in
      cil_remove_trap_note(number)
      number = cil_add_trap_note(text)
    }
  }
}
