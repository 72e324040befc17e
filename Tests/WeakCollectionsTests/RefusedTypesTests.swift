import Testing
import WeakCollections

private let expectation = "expected a class, an actor or a protocol bound to AnyObject"

/// Whether what a process wrote on standard error has the line that says what was expected.
private func saysWhatIsExpected(_ bytes: [UInt8]?) -> Bool {
  String(decoding: bytes ?? [], as: UTF8.self).contains(expectation)
}

@Suite(.serialized) struct RefusedTypesTests {
  @Test func `a struct traps and says what was expected`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = WeakObject((1, 2))
    }
    #expect(saysWhatIsExpected(result?.standardErrorContent))
  }

  @Test func `a string traps and says what was expected`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = WeakReference("text")
    }
    #expect(saysWhatIsExpected(result?.standardErrorContent))
  }

  @Test func `0.j an integer traps in @WeakArray`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      @WeakArray var numbers: [Int] = [1]
      _ = numbers
    }
    #expect(saysWhatIsExpected(result?.standardErrorContent))
  }

  @Test func `0.j a closure traps in a weak array`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = AtomicWeakArray<() -> Void>()
    }
    #expect(saysWhatIsExpected(result?.standardErrorContent))
  }

  @Test func `0.k an optional class traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = WeakObject<Base?>(Base("optional"))
    }
    #expect(saysWhatIsExpected(result?.standardErrorContent))
  }

  @Test func `a protocol not bound to AnyObject traps even when it holds a class`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = WeakReference<any Unbound>(Person("class"))
    }
    #expect(saysWhatIsExpected(result?.standardErrorContent))
  }

  @Test func `any Error traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      final class Refusal: Error {}
      _ = WeakReference<any Error>(Refusal())
    }
    #expect(saysWhatIsExpected(result?.standardErrorContent))
  }

  @Test func `a metatype traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = WeakReference<Base.Type>(Base.self)
    }
    #expect(saysWhatIsExpected(result?.standardErrorContent))
  }
}
