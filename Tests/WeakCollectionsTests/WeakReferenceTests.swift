import Testing
import Threading
import WeakCollections

struct WeakReferenceTests {
  /// Creates weak references to an element. Returns whether they found it while it was alive, and
  /// whether they found it afterwards.
  private func fates<Element>(
    _ make: () -> Element, _ isSame: (Element) -> Bool
  ) -> [Bool] {
    var element: Element? = make()
    let reference = WeakReference(element!)
    let object = WeakObject(element!)
    let inLife = withExtendedLifetime(element) {
      [reference.promote(), object.value].map { $0.map(isSame) ?? false }
    }
    element = nil
    return inLife + [reference.promote() != nil, object.value != nil]
  }

  private let found = [true, true, false, false]

  @Test func `0.1 a weak object of a class keeps the type, but not the object alive`() {
    #expect(
      fates {
        Person("Ada")
      } _: {
        $0.label == "Ada" && $0.age == 41
      } == found)
    #expect(
      fates {
        Person("Ada") as Base
      } _: {
        $0.label == "Ada"
      } == found)
  }

  @Test func `0.1 a weak object of an actor`() {
    #expect(
      fates {
        Clerk()
      } _: {
        $0.number == 7
      } == found)
  }

  @Test func `0.1 a weak object of AnyObject`() {
    #expect(
      fates {
        Person("Ada") as AnyObject
      } _: {
        $0 is Person
      } == found)
  }

  @Test func `0.1 a weak object of a class-bound protocol`() {
    #expect(
      fates {
        Person("Ada") as any Named
      } _: {
        $0.name == "Ada"
      } == found)
  }

  @Test func `a weak reference to a composition of protocols keeps every witness table`() {
    #expect(
      fates {
        Person("Ada") as any Named & Aged
      } _: {
        $0.name == "Ada" && $0.age == 41
      } == found)
    #expect(
      fates {
        Person("Ada") as any Named & Aged & Sized
      } _: {
        $0.name == "Ada" && $0.age == 41 && $0.size == 180
      } == found)
  }

  @Test func `a weak reference to a protocol with a superclass`() {
    #expect(
      fates {
        Person("Ada") as any Base & Named
      } _: {
        $0.label == $0.name
      } == found)
    #expect(
      fates {
        Person("Ada") as any Base & Named & Aged
      } _: {
        $0.label == $0.name && $0.age == 41
      } == found)
  }

  @Test func `a weak reference to a constrained protocol`() {
    #expect(
      fates {
        Person("Ada") as any Source<Int>
      } _: {
        $0.next() == 42
      } == found)
    #expect(
      fates {
        Person("Ada") as any Source<Int> & Named
      } _: {
        $0.next() == 42 && $0.name == "Ada"
      } == found)
  }

  @Test func `a weak reference retains nothing`() {
    let lifetimes = LifetimeCounter()
    var references: [WeakReference<Counted>] = []
    for number in 0..<100 { references.append(WeakReference(Counted(number, in: lifetimes))) }
    #expect(lifetimes.live == 0)
    #expect(references.allSatisfy { $0.promote() == nil })
  }

  @Test func `a promoted reference keeps the object alive`() {
    let lifetimes = LifetimeCounter()
    var counted: Counted? = Counted(in: lifetimes)
    let reference = WeakReference(counted!)
    let promoted = reference.promote()
    counted = nil
    #expect(lifetimes.live == 1)
    withExtendedLifetime(promoted) {}
  }

  @Test func `a weak reference is nil inside deinit, even if it is created there`() {
    final class Witness {
      var before: WeakReference<Witness>?
      let report: (Bool, Bool) -> Void
      init(_ report: @escaping (Bool, Bool) -> Void) { self.report = report }
      deinit {
        report(before?.promote() == nil, WeakReference(self).promote() == nil)
      }
    }
    var reports: [(Bool, Bool)] = []
    do {
      let witness = Witness { reports.append(($0, $1)) }
      witness.before = WeakReference(witness)
    }
    #expect(reports.count == 1)
    #expect(reports.allSatisfy { $0 && $1 })
  }

  @Test func `a weak reference refers to the identical live object only`() {
    let one = Person("Ada")
    let reference = WeakReference(one as any Named)
    #expect(reference.refers(to: one))
    #expect(!reference.refers(to: Person("Ada")))
  }

  @Test func `threads may create, promote and drop references to compositions concurrently`() async
  {
    let bad = await onOwnThreads(8) { _ in
      let person = Person("Ada")
      return (0..<2000).count { number in
        if number.isMultiple(of: 2) {
          let reference = WeakReference(person as any Named & Aged)
          return reference.promote()?.age != 41
        } else {
          let reference = WeakReference(person as any Aged & Named & Sized)
          return reference.promote()?.name != "Ada"
        }
      }
    }
    #expect(bad == Array(repeating: 0, count: 8))
  }

  @Test func `an object that dies during promotions is found intact or not at all`() async {
    let lifetimes = LifetimeCounter()
    for _ in 0..<200 {
      let owner = Holder(Counted(41, in: lifetimes))
      let reference = WeakReference(owner.value!)
      let wrong = await onOwnThreads(3) { index in
        if index == 0 {
          owner.value = nil
          return 0
        }
        return (0..<50).count { _ in (reference.promote()?.number ?? 41) != 41 }
      }
      #expect(wrong == [0, 0, 0])
      #expect(reference.promote() == nil)
    }
    #expect(lifetimes.live == 0)
  }
}

// @unchecked: only one thread uses it at a time.
private final class Holder<Value>: @unchecked Sendable {
  var value: Value?
  init(_ value: Value) { self.value = value }
}

private let expectation =
  "is not a reference type; use a class, an actor or a class-bound protocol"

/// Returns whether the error output of a process names the expected types.
private func saysWhatIsExpected(_ bytes: [UInt8]?) -> Bool {
  String(decoding: bytes ?? [], as: UTF8.self).contains(expectation)
}

@Suite(.serialized) struct RefusedTypesTests {
  @Test func `a struct traps with a message that names the expected types`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = WeakObject((1, 2))
    }
    #expect(saysWhatIsExpected(result?.standardErrorContent))
  }

  @Test func `a string traps with a message that names the expected types`() async {
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
