/// What AddressSanitizer ended a program for, such as a use after free.
package struct MemoryError: Hashable, Sendable {
  /// `heap-use-after-free`, or `SEGV`.
  package var kind: String
  /// Where it happened, the innermost first.
  package var frames: [StackFrame] = []
}
