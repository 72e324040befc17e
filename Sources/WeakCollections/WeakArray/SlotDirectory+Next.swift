extension SlotDirectory {
  /// The slot behind the filled ones, as somebody found it.
  enum NextSlot {
    /// Nothing is under way: when the slot was loaded, the directory was the current one and `state` the
    /// state of the array.
    case free
    /// An append or a removal is decided, and may be in the midst of being done.
    case filled(SlotWord)
    /// Nothing changes in this directory any more.
    case closed(SlotWord.Closing)
  }

  /// What comes after `state`, which was loaded from this directory.
  func next(after state: State) -> NextSlot {
    guard state.position < tail.capacity else { return .closed(.growth) }
    let word = tail[state.position]
    switch word.meaning {
    case .free: return .free
    case .closing(let closing): return .closed(closing)
    default: return .filled(word)
    }
  }

  /// How many slots of the segment at `index` are filled at `state`.
  func filledCount(ofSegment index: Int, at state: State) -> Int {
    index == segments.count - 1 ? state.position : segments[index].capacity
  }

  subscript(position: SlotPosition) -> SlotWord {
    segments[position.segment][position.index]
  }
}
