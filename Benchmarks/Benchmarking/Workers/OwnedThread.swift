#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread of the operating system, to be joined once.
struct OwnedThread: Sendable {
  private let thread: UInt

  /// Starts a thread that runs `body`.
  init(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    #if canImport(Darwin)
      var created: pthread_t?
      let status = pthread_create(
        &created, nil,
        {
          Body.run($0); return nil
        }, context)
      thread = UInt(bitPattern: created)
    #else
      var created = pthread_t()
      let status = pthread_create(
        &created, nil,
        {
          Body.run($0!); return nil
        }, context)
      thread = UInt(created)
    #endif
    precondition(status == 0, "the system can start another thread")
  }

  /// Returns when the thread has ended, its thread-local variables destroyed.
  func join() {
    #if canImport(Darwin)
      pthread_join(pthread_t(bitPattern: thread)!, nil)
    #else
      pthread_join(pthread_t(thread), nil)
    #endif
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }

    static func run(_ context: UnsafeMutableRawPointer) {
      Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    }
  }
}
