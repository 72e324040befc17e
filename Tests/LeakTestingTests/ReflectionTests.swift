import Testing

@testable import LeakTesting

@Suite struct ReflectionTests {
  @Test func `4.2 an optional in Any holds its object, and nothing if it is nil, however deep`() {
    let nothing: Screen? = nil
    let deepNothing: Screen?? = .some(nil)
    let deep: Screen?? = Screen()
    #expect(HeldObjects(in: nothing as Any).objects.isEmpty)
    #expect(HeldObjects(in: deepNothing as Any).objects.isEmpty)
    #expect(HeldObjects(in: Screen() as Any).objects.count == 1)
    #expect(HeldObjects(in: deep as Any).objects.count == 1)
  }

  @Test func `4.4 objects are found in values, but not inside objects`() {
    let screen = Screen()
    let own = HeldObjects(in: screen).objects
    #expect(own.count == 1 && own.first === screen)
    #expect(HeldObjects(in: [[1: Set([ObjectIdentifier(screen)])]]).objects.isEmpty)
    #expect(HeldObjects(in: [1: (screen, [screen])]).objects.count == 2)
    #expect(HeldObjects(in: Result<Screen, any Error>.success(screen)).objects.count == 1)
    #expect(HeldObjects(in: ["text", "more"]).objects.isEmpty)
    #expect(HeldObjects(in: (1, 2.0, "text", 3...4)).objects.isEmpty)
    #expect(HeldObjects(in: Holder(kept: screen)).objects.isEmpty == false)
  }

  @Test func `an error that is an object is found itself, and not its box`() {
    final class Failure: Error {}
    struct Outer: Error { let cause: any Error }
    let failure = Failure()
    #expect(HeldObjects(in: Outer(cause: failure)).objects.first === failure)
    #expect(HeldObjects(in: failure as any Error).objects.first === failure)
  }

  @Test func `4.4 weak, unowned and unmanaged references hold nothing`() {
    let screen = Screen()
    #expect(
      HeldObjects(in: Loose(seen: screen, owner: screen, bits: .passUnretained(screen))).objects
        .isEmpty)
  }

  @Test func `an unowned reference to a deallocated object is not read`() {
    let loose = Loose(seen: nil, owner: [Screen()][0], bits: nil)
    #expect(HeldObjects(in: loose).objects.isEmpty)
  }

  @Test func `closures are reported, but their captures are not searched`() {
    let screen = Screen()
    let held = HeldObjects(in: ["a": { _ = screen } as () -> Void])
    #expect(held.objects.isEmpty && held.hasClosure)
    #expect(!HeldObjects(in: [screen]).hasClosure)
  }
}

private struct Holder { var kept: Screen }

private struct Loose {
  weak var seen: Screen?
  unowned var owner: Screen
  var bits: Unmanaged<Screen>?
}
