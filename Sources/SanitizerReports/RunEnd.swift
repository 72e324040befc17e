/// How a program, or a run of tests, ended.
package enum RunEnd: Hashable, Sendable {
  case exited(Int32)
  case signalled(Int32)
}
