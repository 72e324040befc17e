import LeakTesting
import Testing

final class Screen {
  func open() {}
  func close() {}
}
// LeakTesting.md 1
