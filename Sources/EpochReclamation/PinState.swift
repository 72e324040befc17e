/// What a participant shows to whoever advances the epoch, in one word.
struct PinState: Equatable {
  let word: UInt64

  init(word: UInt64) {
    self.word = word
  }

  /// A pin in `epoch`.
  init(pinnedIn epoch: UInt64, isQuiet: Bool) {
    word = epoch << 2 | (isQuiet ? 3 : 1)
  }

  static var idle: PinState { PinState(word: 0) }

  var isPinned: Bool { word & 1 != 0 }

  /// Pins are announced by mere stores: an advance must make a barrier before it believes what it sees.
  var isQuiet: Bool { word & 2 != 0 }

  /// Of the pin.
  var epoch: UInt64 { word >> 2 }

  /// Without the pin.
  var unpinned: PinState { PinState(word: word & 2) }

  /// With the next pin to be announced by an exchange.
  var loud: PinState { PinState(word: word & ~2) }
}
