/// The keys that are there where new ones come and old ones go: as many as entries, from a range twice
/// as long that begins again at its end.
///
/// The window's place follows from how many draws were made, so that keys can be drawn before the clock
/// starts. With workers of their own pace each has a window of its own, in about the same place.
public struct SlidingWindow: Hashable, Sendable {
  public let size: Int
  /// Per cent of the draws that move the window by one key.
  public let insertShare: Int

  public init(size: Int, insertShare: Int) {
    precondition(size > 0, "a window has a key")
    self.size = size
    self.insertShare = insertShare
  }

  public var range: Int { 2 * size }

  /// The key that leaves next.
  public func oldest(afterDraws draws: Int) -> Int {
    draws * insertShare / 100 % range
  }

  /// The key that comes next.
  public func next(afterDraws draws: Int) -> Int {
    key(size, afterDraws: draws)
  }

  /// The key at `place`, from the oldest, which has 0, to `size - 1`.
  public func key(_ place: Int, afterDraws draws: Int) -> Int {
    (oldest(afterDraws: draws) + place) % range
  }

  /// The keys at the places drawn, while the window moves.
  public func keys(atPlaces places: [Int]) -> [Int] {
    places.enumerated().map { draws, place in key(place, afterDraws: draws) }
  }
}
