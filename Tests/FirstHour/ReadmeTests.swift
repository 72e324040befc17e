final class Screen {
  func close() {}
}
// README.md 2
