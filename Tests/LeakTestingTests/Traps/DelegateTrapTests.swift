import LeakTesting
import Testing

protocol ListDelegate: AnyObject {
  func didSelect(_ row: Int)
}

/// The screen keeps its list, and the list its delegate, which is the screen.
final class BrokenList {
  var delegate: (any ListDelegate)?
}

final class BrokenListScreen: ListDelegate {
  let list = BrokenList()
  private(set) var selected: Int?

  init() { list.delegate = self }

  func didSelect(_ row: Int) { selected = row }
}

/// `weak` needs a protocol that is `AnyObject`'s.
final class FixedList {
  weak var delegate: (any ListDelegate)?
}

final class FixedListScreen: ListDelegate {
  let list = FixedList()
  private(set) var selected: Int?

  init() { list.delegate = self }

  func didSelect(_ row: Int) { selected = row }
}

struct DelegateTrapTests {
  @Test func `2.15 1.8 a strong delegate is reported`() async {
    let leak = await reportedLeak {
      BrokenListScreen()
    } mend: {
      $0.list.delegate = nil
    }
    #expect(
      leak?.isHeld(by: ".delegate -> LeakTestingTests.BrokenListScreen") == true,
      "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `2.15 1.8 a weak one is not`() {
    let screen = track(FixedListScreen())
    screen.list.delegate?.didSelect(3)
    #expect(screen.selected == 3)
  }
}
