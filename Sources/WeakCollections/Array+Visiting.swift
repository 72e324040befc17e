extension Array {
  /// `forEach` with the error's type kept.
  func visit<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    for index in indices { try body(self[index]) }
  }
}
