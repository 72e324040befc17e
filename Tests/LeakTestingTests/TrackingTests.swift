import LeakTesting
import Testing
import WeakCollections

@Suite struct TrackingTests {
  private let cycles = Cycles()

  @Test func `2.6 track returns its object`() {
    withLeakScope {
      let screen = Screen()
      #expect(track(screen) === screen)
    }
  }

  @Test func `2.6 a survivor fails at the line that tracks it`() {
    let line = #line + 3
    withKnownIssue {
      LeapingClock().run {
        withLeakScope { _ = track(cycles.make()) }
      }
    } matching: {
      isSurvivor($0, at: line)
    }
  }

  @Test func `2.6 each survivor fails once, however often it is tracked`() {
    let line = #line
    let issues = MutexLock([Int?]())
    withKnownIssue {
      LeapingClock().run {
        withLeakScope {
          let first = track(track(cycles.make()))
          track(Screen())
          track(first)
          track(cycles.make())
        }
      }
    } matching: { issue in
      issues.write { $0.append(issue.sourceLocation?.line) }
      return true
    }
    #expect(issues.read { $0 } == [line + 5, line + 8])
  }

  @Test func `a survivor of a suspending scope fails, a deallocated object does not`() async {
    let line = #line
    await withKnownIssue {
      await LeapingClock().run {
        await withLeakScope {
          track(Screen())
          let screen = track(cycles.make())
          await Task.yield()
          _ = screen
        }
      }
    } matching: {
      $0.sourceLocation?.line == line + 5
    }
  }

  @Test func `tracking outside of all scopes fails at its line`() {
    let line = #line + 2
    withKnownIssue {
      track(Screen())
    } matching: { issue in
      issue.sourceLocation?.line == line
        && issue.comments.first?.rawValue.contains("outside of all scopes") == true
    }
  }

  @Test func `an inner scope checks its objects at its own end`() {
    let line = #line + 4
    LeapingClock().run {
      withLeakScope {
        withKnownIssue {
          withLeakScope { _ = track(cycles.make()) }
        } matching: {
          isSurvivor($0, at: line)
        }
        cycles.breakCycles()
      }
    }
  }

  @Test func `a scope whose body throws is checked, and rethrows the error`() async {
    let line = #line
    struct Refusal: Error {}
    let lines = MutexLock([Int?]())
    await withKnownIssue {
      LeapingClock().run {
        _ = #expect(throws: Refusal.self) {
          try withLeakScope {
            track(cycles.make())
            throw Refusal()
          }
        }
      }
      await LeapingClock().run {
        _ = await #expect(throws: Refusal.self) {
          try await withLeakScope {
            track(cycles.make())
            throw Refusal()
          }
        }
      }
    } matching: { issue in
      lines.write { $0.append(issue.sourceLocation?.line) }
      return true
    }
    #expect(lines.read { $0 } == [line + 5, line + 13])
  }

  @Test func `a scope that has ended refuses objects`() {
    let scope = withLeakScope { LeakScope.current }
    let line = #line + 2
    withKnownIssue {
      _ = scope?.track(Screen())
    } matching: { issue in
      issue.sourceLocation?.line == line
        && issue.comments.first?.rawValue.contains("after its scope had ended") == true
    }
  }

  @Test func `tasks and child tasks inherit the scope`() async {
    let line = #line
    let lines = MutexLock([Int?]())
    await withKnownIssue {
      await LeapingClock().run {
        await withLeakScope {
          async let child: Void = { _ = track(cycles.make()) }()
          await child
          await Task { _ = track(cycles.make()) }.value
        }
      }
    } matching: { issue in
      lines.write { $0.append(issue.sourceLocation?.line) }
      return true
    }
    #expect(lines.read { $0 } == [line + 5, line + 7])
  }

  @Test func `a detached task can be given the scope`() async {
    let line = #line
    let lines = MutexLock([Int?]())
    await withKnownIssue {
      await LeapingClock().run {
        await withLeakScope {
          let (scope, cycles) = (LeakScope.current, cycles)
          await Task.detached {
            scope?.track(cycles.make())
            await withLeakScope(in: scope) { _ = track(cycles.make()) }
          }.value
          #expect(lines.read { $0.isEmpty })
        }
      }
    } matching: { issue in
      lines.write { $0.append(issue.sourceLocation?.line) }
      return true
    }
    #expect(lines.read { $0 } == [line + 7, line + 8])
  }
}

@Suite struct ExpectDeallocatedTests {
  private let cycles = Cycles()

  @Test func `an object that is released is no leak`() async {
    expectDeallocatedNow { Screen() }
    await expectDeallocated { Screen() }
    var screen: Screen? = Screen()
    expectDeallocatedNow(&screen)
    #expect(screen == nil)
    screen = Screen()
    await expectDeallocated(&screen)
    #expect(screen == nil)
  }

  @Test func `2.3 a survivor fails at the line of its expectation`() async {
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

  @Test func `a variable without an object is a failure`() async {
    await withKnownIssue {
      var screen: Screen?
      await expectDeallocated(&screen)
    } matching: {
      $0.comments.first?.rawValue.contains("got a variable that is nil") == true
    }
  }

  // Called outside of suspending functions, which would get the suspending forms.

  private func expectDeallocatedNow(_ screen: inout Screen?, line: UInt = #line) {
    expectDeallocated(&screen, line: line)
  }

  private func expectDeallocatedNow(line: UInt = #line, _ make: () -> Screen) {
    expectDeallocated(line: line) { make() }
  }
}
