// The names of `Synchronization`, so that a module can import this module instead. With the trait
// `Interleaving`, they are types that a scheduler controls. `Primitives` declares these types,
// because the collections of this package use them too.

#if Interleaving
  @_exported public import struct Primitives.Atomic
  @_exported public import struct Primitives.AtomicLazyReference
  @_exported public import struct Primitives.AtomicLoadOrdering
  @_exported public import struct Primitives.AtomicStoreOrdering
  @_exported public import struct Primitives.AtomicUpdateOrdering
  @_exported public import struct Primitives.Mutex
  @_exported public import func Primitives.atomicMemoryFence
  @_exported public import protocol Synchronization.AtomicOptionalRepresentable
  @_exported public import protocol Synchronization.AtomicRepresentable
#else
  @_exported public import Synchronization
#endif

// Not in `Synchronization`: a loop that waits for another thread must call it, so that a scheduler
// can run that thread.
@_exported public import func Primitives.spinHint
