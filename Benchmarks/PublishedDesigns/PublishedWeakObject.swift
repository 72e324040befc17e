/// The article's box: a `weak` variable, and with it a side table for its object.
///
/// Its own, so that the design costs what it costs where it was published, whatever ours becomes.
final class PublishedWeakObject<Element: AnyObject & Sendable>: Sendable {
  weak let value: Element?

  init(_ value: Element) {
    self.value = value
  }
}
