import Testing
import Threading
import WeakCollections

struct WeakArrayWrapperTests {
  @Test func `0.2 the property reads as the living elements in order, duplicates kept`() {
    @WeakArray var people: [any Named] = []
    let ada = Person("Ada")
    var bob: Person? = Person("Bob")
    people.append(ada)
    people.append(bob!)
    $people.append(ada)
    #expect(people.map(\.name) == ["Ada", "Bob", "Ada"])
    bob = nil
    #expect(people.map(\.name) == ["Ada", "Ada"])
    people = [ada]
    #expect(people.count == 1)
  }

  @Test func `0.2 the property needs no initial value, and may have one`() {
    let ada = Person("Ada")
    @WeakArray var declared: [Person]
    @WeakArray var filled = [ada, ada]
    #expect(declared.isEmpty)
    #expect(filled.count == 2)
    $declared.append(ada)
    #expect(declared.count == 1)
  }

  @Test func `0.3 the property holds none of its elements`() {
    let census = Census()
    @WeakArray var elements: [Counted] = []
    for number in 0..<100 {
      elements.append(Counted(number, in: census))
      $elements.append(Counted(number, in: census))
    }
    #expect(census.live == 0)
    #expect(elements.isEmpty)
  }

  @Test func `0.i appending through the projected value keeps no more than it must`() {
    let census = Census()
    @WeakArray var elements: [Counted] = []
    for number in 0..<1000 { $elements.append(Counted(number, in: census)) }
    #expect($elements.compact() <= 64)
    #expect($elements.compact() == 0)
  }

  @Test func `a copy of the property is a value of its own`() {
    struct Holder {
      @WeakArray var people: [Person] = []
    }
    let ada = Person("Ada")
    var one = Holder()
    one.people.append(ada)
    var other = one
    other.$people.append(ada)
    #expect(one.people.count == 1)
    #expect(other.people.count == 2)
  }
}
