import WeakCollections

/// What calls again and again until it is told not to, such as a timer or a display link.
///
/// For a class of another module: `extension Timer: @retroactive Invalidatable {}`, or `WeakProxy(_:whenGone:action:)`.
public protocol Invalidatable {
  /// Ends the calls; does nothing if they are ended.
  func invalidate()
}

/// Forwards the calls of a source that would otherwise keep its target alive, and ends the source once the target
/// is gone.
///
/// ```swift
/// let proxy = WeakProxy(self) { (screen, ticker: Ticker) in screen.move(to: ticker.time) }
/// ticker = Ticker { proxy($0) }
/// ```
///
/// What the source is given is the proxy, which refers to its target weakly; `action` is not to capture the
/// target, but to use its argument. A source is ended at its first call after the target is gone; for it to end
/// with the target, have a `CancelBag` of the target end it.
///
/// The action runs where the source calls, in no actor's isolation. For a target of the main actor and a source that
/// calls on the main thread, such as a timer of its run loop, it says so, and passes on what is `Sendable`:
///
/// ```swift
/// let proxy = WeakProxy(screen) { (screen, ticker: Ticker) in
///   let time = ticker.time
///   MainActor.assumeIsolated { screen.move(to: time) }
/// }
/// ```
///
/// That traps if the source calls elsewhere; from there `Task { @MainActor in screen.move(to: time) }` gets to the main
/// actor, and keeps the target until then.
public struct WeakProxy<Target, Sender> {
  private let target: WeakReference<Target>
  private let action: @Sendable (Target, Sender) -> Void
  private let end: @Sendable (Sender) -> Void

  /// One that ends a sender by `end`, called each time that the sender calls and the target is gone; traps if
  /// `target` is no object.
  public init(
    _ target: Target, whenGone end: @escaping @Sendable (Sender) -> Void,
    action: @escaping @Sendable (Target, Sender) -> Void
  ) {
    self.target = WeakReference(target)
    self.action = action
    self.end = end
  }

  /// One that invalidates its sender when the target is gone.
  public init(_ target: Target, action: @escaping @Sendable (Target, Sender) -> Void)
  where Sender: Invalidatable & SendableMetatype {
    self.init(target, whenGone: { $0.invalidate() }, action: action)
  }

  /// Calls the action with the target, which lives until it returns; ends `sender` if the target is gone.
  ///
  /// - Returns: whether the target lived.
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
  /// The same for a source that does not tell who it is.
  @discardableResult
  public func callAsFunction() -> Bool { self(()) }
}

extension WeakProxy: Sendable where Target: Sendable {}
