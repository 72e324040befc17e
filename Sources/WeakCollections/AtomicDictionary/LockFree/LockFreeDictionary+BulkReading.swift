import EpochReclamation
import Primitives

extension LockFreeDictionary {
  public func values(forKeys keys: [Key]) -> [Value?] {
    Coding.values(forKeys: keys, in: domain) {
      UnsafeRawPointer(current.firstCell(for: $0))
    } word: {
      word(for: $0, $1)
    }
  }
}
