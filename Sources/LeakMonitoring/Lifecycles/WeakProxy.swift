import WeakCollections

/// A source that calls repeatedly until it is invalidated, such as a timer or a display link.
///
/// For a class of another module: `extension Timer: @retroactive Invalidatable {}`, or
/// `WeakProxy(_:whenGone:action:)`.
public protocol Invalidatable {
  /// Ends the calls; does nothing if they have ended.
  func invalidate()
}

/// Forwards the calls of a source that would otherwise keep its target alive, and ends the source
/// when the target is gone.
///
/// ```swift
/// let proxy = WeakProxy(self) { (screen, ticker: Ticker) in screen.move(to: ticker.time) }
/// ticker = Ticker { proxy($0) }
/// ```
///
/// The source holds the proxy, which holds its target weakly; `action` must not capture the target,
/// but use its argument. The proxy ends the source at its first call after the target is gone. To
/// end it with the target, use a `CancelBag` of the target.
///
/// The action runs where the source calls, outside any actor. For a target of the main actor and a
/// source that calls on the main thread, such as a timer of its run loop, assume the isolation and
/// pass only `Sendable` values:
///
/// ```swift
/// let proxy = WeakProxy(screen) { (screen, ticker: Ticker) in
///   let time = ticker.time
///   MainActor.assumeIsolated { screen.move(to: time) }
/// }
/// ```
///
/// That traps if the source calls on another thread; there, `Task { @MainActor in screen.move(to:
/// time) }` hops to the main actor and holds the target until then.
public struct WeakProxy<Target, Sender> {
  private let target: WeakReference<Target>
  private let action: @Sendable (Target, Sender) -> Void
  private let end: @Sendable (Sender) -> Void

  /// Creates a proxy that calls `end` each time the sender calls after the target is gone; traps if
  /// `target` is not an object.
  public init(
    _ target: Target, whenGone end: @escaping @Sendable (Sender) -> Void,
    action: @escaping @Sendable (Target, Sender) -> Void
  ) {
    self.target = WeakReference(target)
    self.action = action
    self.end = end
  }

  /// Creates a proxy that invalidates its sender when the target is gone.
  public init(_ target: Target, action: @escaping @Sendable (Target, Sender) -> Void)
  where Sender: Invalidatable & SendableMetatype {
    self.init(target, whenGone: { $0.invalidate() }, action: action)
  }

  /// Calls the action with the target, which stays alive meanwhile; ends `sender` if the target is
  /// gone.
  ///
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
  /// The same for a source that does not pass itself.
  @discardableResult
  public func callAsFunction() -> Bool { self(()) }
}

extension WeakProxy: Sendable where Target: Sendable {}
