public final class Screen {
  public var presenter: Presenter?
  /// It gives the presenter a side table, which is no leak of its own.
  public weak var observer: Presenter?

  public init() {}
}

public final class Presenter {
  public var screen: Screen?

  public init() {}
}

/// Makes a cycle, which nothing breaks.
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
