import EpochReclamation

extension EpochDomain {
  /// Gives the calling thread what it keeps for itself of the domain, a record and an empty bag, and
  /// reclaims what is in limbo.
  ///
  /// Before bytes are counted: these are nobody's entries, and no operation needs them twice.
  func prepareThread() {
    retire(UnsafeMutableRawPointer(bitPattern: 64)!, as: Nothing.self)
    advance()
  }
}

/// Nothing to reclaim.
private enum Nothing: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {}
}
