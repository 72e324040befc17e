import CShims

/// Writes `line` and its end to standard error.
public func printError(_ line: String) {
  cws_print_error(line)
}
