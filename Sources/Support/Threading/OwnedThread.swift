#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// A thread of the operating system that its maker owns, and may block.
///
/// To be joined or detached, once.
// @unchecked: immutable; a handle may be used by any thread.
package final class OwnedThread: @unchecked Sendable {
  private let handle: pthread_t

  /// Starts `body`.
  package init(_ body: @escaping @Sendable () -> Void) {
    handle = Self.start(body)
  }

  /// Returns when the thread has ended, its thread-exit handlers included.
  package func join() {
    let status = pthread_join(handle, nil)
    precondition(status == 0, "a thread is joined once")
  }

  /// Lets the thread end unattended; instead of joining it.
  package func detach() { pthread_detach(handle) }

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t {
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    let thread = UnsafeMutablePointer<Handle>.allocate(capacity: 1)
    defer { thread.deallocate() }
    let status = pthread_create(thread, nil, runBody, context)
    precondition(status == 0, "the system has room for another thread")
    #if canImport(Darwin)
      return thread.pointee!
    #else
      return thread.pointee
    #endif
  }

  // In a function of its own, so that nothing of the body lives on while the thread ends.
  fileprivate static func run(_ context: UnsafeMutableRawPointer) {
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
  }
}

#if canImport(Darwin)
  private typealias Handle = pthread_t?

  private func runBody(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    OwnedThread.run(context)
    return nil
  }
#else
  private typealias Handle = pthread_t

  private func runBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    OwnedThread.run(context!)
    return nil
  }
#endif
