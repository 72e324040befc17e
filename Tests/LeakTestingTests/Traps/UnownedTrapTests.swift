import LeakTesting
import Testing

/// A card is never without its customer, who keeps it: unowned is right, and no leak.
final class Card {
  unowned let owner: Customer

  init(of owner: Customer) { self.owner = owner }
}

final class Customer {
  let name: String
  private(set) var card: Card?

  init(name: String) {
    self.name = name
    card = track(Card(of: self))
  }
}

struct UnownedTrapTests {
  @Test(.noLeaks) func `2.18 unowned for what lives no longer than its owner is no leak`() {
    let customer = track(Customer(name: "Ann"))
    #expect(customer.card?.owner.name == "Ann")
  }
}
