import EpochReclamation
import Primitives

extension LockFreeDictionary {
  public func value(forKey key: Key) -> Value? {
    let print = Print(key)
    return domain.pin { Coding.copy(word(for: key, print)) }
  }

  /// Calls `body` with the value for `key`, which is neither copied nor retained; nil without a value.
  ///
  /// `body` runs with the epoch pinned: while it runs, nothing that anybody takes out of a collection of
  /// this domain is released. The value that it has got may be replaced meanwhile.
  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    let print = Print(key)
    return try domain.pin { () throws(F) -> R? in try Coding.borrow(word(for: key, print), body) }
  }

  var current: Table {
    @inline(__always) get {
      // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange
      // in `unlink`.
      Table(memory: root.load(ordering: .sequentiallyConsistent))
    }
  }

  /// The word that stands for `key`: a value, boxed or not, claimed, frozen, or `absent`. For use under
  /// a pin.
  @inline(__always)
  func word(for key: Key, _ print: Print) -> ValueWord {
    let table = current
    let place = table.find(key, print)
    if !place.hasKey { return wordBehind(table, key, print) }
    let word = place.cell.pointee.value
    if Coding.fitsWord && word.isInline || word.isBoxed { return word }
    return search(table, key, print)
  }

  /// The word for a key that `table` was seen not to have.
  @inline(__always)
  private func wordBehind(_ table: Table, _ key: Key, _ print: Print) -> ValueWord {
    guard let next = table.next, !Defect.missNotPursued.isPlanted else { return .absent }
    return search(next, key, print)
  }

  /// The word for `key` in `table` or one of those behind it.
  @inline(never)
  func search(_ table: Table, _ key: Key, _ print: Print) -> ValueWord {
    var table = table
    while true {
      let place = table.find(key, print)
      let word = place.hasKey ? place.cell.pointee.value : .untouched
      switch word.kind {
      case .inline, .boxed, .claimed, .frozen, .absent: return word
      case .removed: bury(place.cell)
      case .untouched, .moved:
        guard let next = table.next else { return .absent }
        table = next
      }
    }
  }

  /// Lets the key of a removed cell go, so that probes for it go on behind the cell.
  func bury(_ cell: Cell.Pointer) {
    let word = cell.pointee.key
    let dead = KeyCoding<Key>.dead
    guard word != dead, cell.pointee.exchangeKey(word, for: dead) else { return }
    KeyCoding<Key>.retire(word, in: domain)
  }
}
