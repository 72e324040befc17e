/// An object that does something as it dies.
package final class Dying: Sendable {
  private let lastWords: @Sendable () -> Void

  package init(_ lastWords: @escaping @Sendable () -> Void) {
    self.lastWords = lastWords
  }

  deinit { lastWords() }
}
