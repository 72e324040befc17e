import WeakCollections

/// A source of repeated calls that ends when it is invalidated, such as a timer or a display link.
///
/// To use a class of another module, declare that it conforms, for example with `extension Timer:
/// @retroactive Invalidatable {}`, or use `WeakProxy(_:whenGone:action:)`.
public protocol Invalidatable {
  /// Ends the calls; does nothing if they have already ended.
  func invalidate()
}

/// A forwarder for the calls of a source that would otherwise keep its target alive.
///
/// ```swift
/// let proxy = WeakProxy(self) { (screen, ticker: Ticker) in screen.move(to: ticker.time) }
/// ticker = Ticker { proxy($0) }
/// ```
///
/// The source holds the proxy, and the proxy holds its target weakly. So `action` must use its
/// argument and not capture the target. The first call after the deallocation of the target ends
/// the source. To end the source as soon as the target is deallocated, add it to a `CancelBag` of
/// the target.
///
/// The action runs on the thread of the source, outside any actor. If the target belongs to the
/// main actor and the source calls on the main thread, as a timer of the main run loop does, assume
/// the isolation and pass only `Sendable` values:
///
/// ```swift
/// let proxy = WeakProxy(screen) { (screen, ticker: Ticker) in
///   let time = ticker.time
///   MainActor.assumeIsolated { screen.move(to: time) }
/// }
/// ```
///
/// `assumeIsolated` traps if the source calls on another thread. For such a source, run the body of
/// the action in a task: `Task { @MainActor in screen.move(to: time) }`. The task holds the target
/// until it has run.
public struct WeakProxy<Target, Sender> {
  private let target: WeakReference<Target>
  private let action: @Sendable (Target, Sender) -> Void
  private let end: @Sendable (Sender) -> Void

  /// Creates a proxy that ends its sender with a closure once the target is deallocated.
  ///
  /// - Parameters:
  ///   - target: The object that the proxy holds weakly.
  ///   - end: Ends the sender. Each call after the deallocation of the target runs it.
  ///   - action: Handles a call. It must not capture the target.
  /// - Precondition: `target` is an object, not a value.
  public init(
    _ target: Target, whenGone end: @escaping @Sendable (Sender) -> Void,
    action: @escaping @Sendable (Target, Sender) -> Void
  ) {
    self.target = WeakReference(target)
    self.action = action
    self.end = end
  }

  /// Creates a proxy that invalidates its sender at its first call after the deallocation of the
  /// target.
  ///
  /// - Parameters:
  ///   - target: The object that the proxy holds weakly.
  ///   - action: Handles a call. It must not capture the target.
  /// - Precondition: `target` is an object, not a value.
  public init(_ target: Target, action: @escaping @Sendable (Target, Sender) -> Void)
  where Sender: Invalidatable & SendableMetatype {
    self.init(target, whenGone: { $0.invalidate() }, action: action)
  }

  /// Calls the action with the target, or ends the sender if the target is deallocated.
  ///
  /// The target stays alive during the action.
  ///
  /// - Parameter sender: The source of the call.
  /// - Returns: Whether the target was alive.
  @discardableResult
  public func callAsFunction(_ sender: Sender) -> Bool {
    guard let target = target.promote() else {
      end(sender)
      return false
    }
    action(target, sender)
    return true
  }
}

extension WeakProxy where Sender == Void {
  /// Calls the action with the target, or ends the source if the target is deallocated.
  ///
  /// Use this for a source that does not pass itself to its handler.
  ///
  /// - Returns: Whether the target was alive.
  @discardableResult
  public func callAsFunction() -> Bool { self(()) }
}

extension WeakProxy: Sendable where Target: Sendable {}
