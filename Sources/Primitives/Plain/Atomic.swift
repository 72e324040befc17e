// The seam. Every atomic of this package is `Primitives.Atomic`. In normal builds that is the standard
// library's own type, re-exported so that a file which imports `Primitives` has its orderings too and
// no file of an algorithm imports `Synchronization` for itself. Under the trait `Interleaving` it is the
// type in `InterleavedAtomic.swift`, which asks a scheduler before each step.

#if !Interleaving
  @_exported public import Synchronization

  /// An atomic variable; see `Synchronization.Atomic`.
  public typealias Atomic = Synchronization.Atomic
#else
  // The mutex is the standard library's in every build.
  @_exported public import struct Synchronization.Mutex
#endif
