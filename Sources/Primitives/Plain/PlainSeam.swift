#if !Interleaving
  import CShims
  @_exported public import Synchronization

  // The seam of release builds. `Interleaved/InterleavedSeam.swift` declares the same names for
  // tests.
  //
  // The library reaches atomics, and everything else that a managed scheduler can observe, through
  // the two declarations of these files. Here both compile to nothing: `Atomic` is the standard
  // library's type, and `ask` returns a constant that the optimizer removes together with the
  // question.

  /// An atomic variable; see `Synchronization.Atomic`.
  ///
  /// This module exports `Synchronization`, so a file that imports `Primitives` also sees the
  /// memory orderings.
  public typealias Atomic = Synchronization.Atomic

  extension ManagedScheduler {
    /// Whether this build can run under a scheduler.
    public static var isCompiledIn: Bool { @inline(__always) get { false } }

    /// Returns nil: this build has no scheduler.
    @inline(__always)
    public static func ask<R>(_ question: (UnsafePointer<cws_scheduler>) -> R) -> R? { nil }
  }
#endif
