import EpochReclamation
import Primitives

extension LockFreeDictionary {
  public var snapshot: [Key: Value] {
    let pairs = pairs
    var snapshot = [Key: Value](minimumCapacity: pairs.count)
    for (key, value) in pairs { snapshot[key] = value }
    return snapshot
  }

  /// All keys and values, in the order of the cells; a key that was removed and set again meanwhile may
  /// be there twice.
  var pairs: [(Key, Value)] {
    var pairs: [(Key, Value)] = []
    domain.pin {
      finishMoves()
      let table = current
      for index in 0..<table.cellCount {
        if let pair = pair(at: index, of: table) { pairs.append(pair) }
      }
    }
    return pairs
  }

  private func pair(at index: Int, of table: Table) -> (Key, Value)? {
    guard let (key, word) = word(at: index, of: table) else { return nil }
    return Coding.copy(word).map { (key, $0) }
  }

  /// The key of a cell and the word for it, wherever that is; nil without a key, or where it was seen to
  /// have no value. For use under a pin.
  func word(at index: Int, of table: Table) -> (Key, ValueWord)? {
    let cell = table.cells + index
    let word = cell.pointee.key
    if word == 0 && index < table.capacity { return nil }
    if !KeyCoding<Key>.fitsWord && word == KeyCoding<Key>.dead { return nil }
    var present = cell.pointee.value
    if present == .untouched || present == .absent || present == .removed { return nil }
    let key = KeyCoding<Key>.key(word)
    if present == .moved {
      present = search(table.next.unsafelyUnwrapped, key, Print(ofWord: word))
    }
    return (key, present)
  }
}
