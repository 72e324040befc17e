// The seam. Every atomic of this package is `Primitives.Atomic`; in this build that is the standard
// library's own type, re-exported so that a file which imports `Primitives` has its orderings too and
// no file of an algorithm imports `Synchronization` for itself.

@_exported public import Synchronization

/// An atomic variable; see `Synchronization.Atomic`.
public typealias Atomic = Synchronization.Atomic
