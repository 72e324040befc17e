// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public final class Screen {
  public var presenter: Presenter?
  /// Gives the presenter a side table, which is not a leak of its own.
  public weak var observer: Presenter?

  public init() {}
}
public final class Presenter {
  public var screen: Screen?

  public init() {}
}

/// Creates a cycle that nothing breaks.
public func leakScreen() {
  let screen = Screen()
  let presenter = Presenter()
  screen.presenter = presenter
  screen.observer = presenter
  presenter.screen = screen
}

#if BROKEN
  let number: Int = "none"
#endif
