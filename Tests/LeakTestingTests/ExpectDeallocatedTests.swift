import LeakTesting
import Testing
import WeakCollections

@Suite struct ExpectDeallocatedTests {
  private let cycles = Cycles()

  @Test func `what is let go is no leak`() async {
    expectDeallocatedNow { Screen() }
    await expectDeallocated { Screen() }
    var screen: Screen? = Screen()
    expectDeallocatedNow(&screen)
    #expect(screen == nil)
    screen = Screen()
    await expectDeallocated(&screen)
    #expect(screen == nil)
  }

  @Test func `2.3 what lives on fails where its end was expected`() async {
    let lines = MutexLock([Int]())
    let line = #line + 3
    await withKnownIssue {
      await LeapingClock().run {
        await expectDeallocated { cycles.make() }
        var screen: Screen? = cycles.make()
        await expectDeallocated(&screen)
        screen = cycles.make()
        expectDeallocatedNow(&screen)
        expectDeallocatedNow { cycles.make() }
      }
    } matching: { issue in
      let found = issue.sourceLocation?.line ?? 0
      lines.write { $0.append(found) }
      return isSurvivor(issue, at: found)
    }
    #expect(lines.read { $0 } == [line, line + 2, line + 4, line + 5])
  }

  @Test func `nothing to let go of is a failure`() async {
    await withKnownIssue {
      var screen: Screen?
      await expectDeallocated(&screen)
    } matching: {
      $0.comments.first?.rawValue == "expected an object to let go of, found nil"
    }
  }

  // Not in functions that suspend, which get the other forms.

  private func expectDeallocatedNow(_ screen: inout Screen?, line: UInt = #line) {
    expectDeallocated(&screen, line: line)
  }

  private func expectDeallocatedNow(line: UInt = #line, _ make: () -> Screen) {
    expectDeallocated(line: line) { make() }
  }
}
