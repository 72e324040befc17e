import EpochReclamation
import WeakCollections

// The code whose instructions test-arm64 counts: the shortest that reads as programs do.

/// Returns the value of a key that is stored in its word.
@inline(never)
public func readNumber(_ dictionary: LockFreeDictionary<Int, Int>) -> Int? { dictionary[5] }

/// Pins the epoch for a body that does nothing.
@inline(never)
public func pin(_ domain: EpochDomain) -> Int { domain.pin { 7 } }
