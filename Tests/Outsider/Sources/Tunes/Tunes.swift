// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public final class Player {
  private var onEnd: () -> Void = {}
  private var isPlaying = false

  public init() {
    onEnd = { self.isPlaying = false }
  }

  public func play() {
    isPlaying = true
    onEnd()
  }
}
