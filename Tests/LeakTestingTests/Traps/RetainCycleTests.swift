import LeakTesting
import Testing

final class BrokenPerson {
  var apartment: BrokenApartment?
}

final class BrokenApartment {
  var tenant: BrokenPerson?
}

final class FixedPerson {
  var apartment: FixedApartment?
}

final class FixedApartment {
  weak var tenant: FixedPerson?
}

struct RetainCycleTests {
  @Test func `1.8 the person and the apartment keep each other: reported`() async {
    let leak = await reportedLeak {
      let person = BrokenPerson()
      person.apartment = BrokenApartment()
      person.apartment?.tenant = person
      return person
    } mend: {
      $0.apartment = nil
    }
    #expect(
      leak?.isHeld(by: ".tenant -> LeakTestingTests.BrokenPerson") == true,
      "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `1.8 with a weak tenant both are gone`() {
    let person = track(FixedPerson())
    person.apartment = track(FixedApartment())
    person.apartment?.tenant = person
  }
}
