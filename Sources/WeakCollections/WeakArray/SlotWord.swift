/// What a slot of a lock-free weak array holds: nothing, an entry, or a decision in the array's order.
struct SlotWord: Equatable {
  let rawValue: UInt

  /// What a full segment, or one that is to be replaced, is replaced for.
  enum Closing: UInt {
    /// For room; some dead entries go by the way.
    case growth
    /// For the dead entries, all of them.
    case compaction
    /// For all entries.
    case clearing
  }

  enum Meaning {
    case free
    case entry
    /// Was an entry.
    case tombstone
    case removal(of: SlotPosition)
    case closing(Closing)
  }

  static var free: SlotWord { SlotWord(rawValue: 0) }
  static var tombstone: SlotWord { SlotWord(rawValue: tombstoneTag) }

  static func entry(_ entry: UInt) -> SlotWord { SlotWord(rawValue: entry) }

  static func removal(of position: SlotPosition) -> SlotWord {
    SlotWord(rawValue: position.rawValue << 4 | removalTag)
  }

  static func closing(_ closing: Closing) -> SlotWord {
    SlotWord(rawValue: closing.rawValue << 4 | closingTag)
  }

  /// Entries have bits 1 to 3 clear.
  var isEntry: Bool { rawValue & 0b1110 == 0 && rawValue != 0 }

  var isClosing: Bool { rawValue & 0b1110 == Self.closingTag }

  var meaning: Meaning {
    if rawValue == 0 { return .free }
    switch rawValue & 0b1110 {
    case Self.tombstoneTag: return .tombstone
    case Self.removalTag: return .removal(of: SlotPosition(rawValue: rawValue >> 4))
    case Self.closingTag: return .closing(Closing(rawValue: rawValue >> 4)!)
    default: return .entry
    }
  }

  private static var tombstoneTag: UInt { 0b0010 }
  private static var removalTag: UInt { 0b0100 }
  private static var closingTag: UInt { 0b0110 }
}

/// Where a slot is in a directory: in which of its segments, and where there.
struct SlotPosition: Equatable {
  let rawValue: UInt

  init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  init(segment: Int, index: Int) {
    rawValue = UInt(segment) << 16 | UInt(index)
  }

  var segment: Int { Int(rawValue >> 16) }
  var index: Int { Int(rawValue & 0xffff) }
}
