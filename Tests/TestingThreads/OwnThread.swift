#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// An operating-system thread that a test owns, and may block.
// @unchecked: immutable; a handle may be used by any thread.
public final class OwnThread: @unchecked Sendable {
  private let handle: pthread_t

  /// Starts `body`.
  public init(_ body: @escaping @Sendable () -> Void) {
    handle = Self.start(body)
  }

  /// Returns when the thread has ended, its thread-exit handlers included; once only.
  public func join() {
    let status = pthread_join(handle, nil)
    precondition(status == 0, "a thread is joined once")
  }

  /// Lets the thread end unattended; instead of joining it.
  func detach() { pthread_detach(handle) }

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
    OwnThread.run(context)
    return nil
  }
#else
  private typealias Handle = pthread_t

  private func runBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    OwnThread.run(context!)
    return nil
  }
#endif

/// Runs `body` on a thread of its own and returns what it returns, once the thread has ended.
public func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
  await onOwnThreads(1) { _ in body() }[0]
}

/// Runs `body` on `count` threads of their own, which begin together, and returns what each returned,
/// once all have ended.
public func onOwnThreads<R: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) -> R
) async -> [R] {
  await withCheckedContinuation { continuation in
    // One more thread joins the others: joining blocks, and the caller's thread may be a cooperative one.
    OwnThread { continuation.resume(returning: join(count, body)) }.detach()
  }
}

private func join<R: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> R) -> [R] {
  let results = Results<R>(count: count)
  let start = Gate()
  let threads = (0..<count).map { index in
    OwnThread {
      start.wait()
      results[index] = body(index)
    }
  }
  start.open()
  for thread in threads { thread.join() }
  return results.all
}

// @unchecked: each thread writes its own place, and joining it orders that before the reading.
private final class Results<R>: @unchecked Sendable {
  private let places: UnsafeMutableBufferPointer<R?>

  init(count: Int) {
    places = .allocate(capacity: count)
    places.initialize(repeating: nil)
  }

  deinit {
    places.deinitialize()
    places.deallocate()
  }

  subscript(index: Int) -> R? {
    get { places[index] }
    set { places[index] = newValue }
  }

  var all: [R] { places.map { $0! } }
}
