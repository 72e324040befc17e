#if !Interleaving
  import CShims
  @_exported public import Synchronization

  // The seam as it ships; its twin is `Interleaved/InterleavedSeam.swift`.
  //
  // The library reaches atomics and everything else that a managed scheduler can observe through the two
  // declarations of these files. Here both compile to nothing: `Atomic` is the standard library's type, and
  // `ask` is a constant that the optimizer removes together with the question.

  /// An atomic variable; see `Synchronization.Atomic`.
  ///
  /// `Synchronization` is exported again, so that a file which imports `Primitives` has the memory
  /// orderings too.
  public typealias Atomic = Synchronization.Atomic

  extension ManagedScheduler {
    /// Whether this build can run under a scheduler.
    public static var isCompiledIn: Bool { @inline(__always) get { false } }

    /// Returns nil: there is never a scheduler.
    @inline(__always)
    public static func ask<R>(_ question: (UnsafePointer<cws_scheduler>) -> R) -> R? { nil }
  }
#endif
