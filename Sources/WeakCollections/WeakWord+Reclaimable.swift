import EpochReclamation
import Primitives
import WeakReferences

extension WeakWord: Reclaimable {
  /// Releases the word whose bits `pointer` has.
  public static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    WeakWord(rawValue: UInt(bitPattern: pointer)).release()
  }
}
