import LeakTesting
import Testing
import WeakCollections

/// What a closure has of a variable: by its name the variable itself, by its capture list what the variable was.
@Suite struct CaptureListTests {
  @Test func `2.19 a capture list has the value of then, a name the variable`() {
    var count = 1
    let snapshot = { [count] in count }
    let reference = { count }
    count = 2
    #expect(snapshot() == 1 && reference() == 2)
  }

  @Test func `2.19 of an object a capture list has the reference, not what the object was`() {
    final class Counter { var count = 1 }
    let counter = Counter()
    let snapshot = { [counter] in counter.count }
    counter.count = 2
    #expect(snapshot() == 2)
  }

  @Test func `2.19 a capture list keeps the object of then, when the variable has another`() {
    var screen: Screen? = Screen()
    let old = WeakReference(screen!)
    let snapshot = { [screen] in screen }
    let reference = { screen }
    screen = Screen()
    #expect(old.promote() != nil && snapshot() !== reference())
    #expect(reference() === screen)
  }

  @Test(.noLeaks) func `2.19 by its name the old object is let go, and the new one kept`() {
    var screen: Screen? = track(Screen())
    let old = WeakReference(screen!)
    let reference = { screen }
    screen = track(Screen())
    #expect(old.promote() == nil && reference() != nil)
    screen = nil
    #expect(reference() == nil)
  }

  @Test func `2.19 weak in a capture list is a variable of the closure, which becomes nil`() {
    var screen: Screen? = Screen()
    let seen = { [weak screen] in screen }
    var other = seen()
    #expect(other === screen)
    screen = Screen()
    // The old one lives by `other`; the closure does not follow the variable.
    #expect(seen() === other && seen() !== screen)
    other = nil
    #expect(seen() == nil)
  }

  @Test(.noLeaks) func `2.19 a capture list that names a property does not capture self`() {
    final class Player {
      let screen: Screen
      var onEnd: (() -> Void)?

      init(_ screen: Screen) {
        self.screen = screen
        // `{ self.screen.close() }` would keep the player, which keeps the closure.
        onEnd = { [screen] in screen.close() }
      }
    }
    track(Player(track(Screen()))).onEnd?()
  }
}
