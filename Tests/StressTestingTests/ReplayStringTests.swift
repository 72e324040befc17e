import StressTesting
import Testing
import WeakCollections

@Suite struct ReplayStringTests {
  @Test(arguments: [
    "wc1.threads.dictionary.i0-0/i0-1.7",
    "wc1.threads.weak-array.p0+,d0+/born0-1:pin:a.18446744073709551615",
    "wc1.schedule.dictionary.n/s0-0.1sb:2x14,1,d2.0x3",
  ])
  func `a replay string survives`(_ text: String) throws {
    #expect(try ReplayString(parsing: text).text == text)
  }

  @Test func `a replay string leaves a shell nothing to do`() throws {
    let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789.,:/+-")
    for collection in CollectionKind.allCases {
      var generator = ScenarioGenerator(for: collection, seed: 1, limits: .threads(cores: 2))
      for _ in 0..<100 {
        let text = ReplayString(generator.next(), .threads(seed: 5)).text
        #expect(Set(text).isSubset(of: allowed))
      }
    }
  }

  @Test func `another version is refused by name`() {
    #expect(throws: ReplayError.otherVersion("wc2")) {
      try ReplayString(parsing: "wc2.threads.dictionary.g0.7")
    }
  }

  @Test(arguments: [
    "", "nonsense", "wc1", "wc1.threads", "wc1.threads.dictionary.g0", "wc1.threads.queue.g0.7",
    "wc1.threads.dictionary.z0.7", "wc1.threads.dictionary.g0.x", "wc1.fibers.dictionary.g0.7",
    "wc1.threads.dictionary.g0.-1", "é.é.é.é.é", "wcx",
  ])
  func `nonsense is refused`(_ text: String) {
    #expect {
      try ReplayString(parsing: text)
    } throws: { error in
      if case .malformed? = error as? ReplayError { true } else { false }
    }
  }

  @Test func `a replay for another collection, and a nonsensical schedule, are refused`() throws {
    let subject = BrokenDictionary.subject(.checkThenAct)
    for text in ["wc1.threads.weak-array.p0.7", "wc1.schedule.dictionary.g0.nonsense"] {
      let replay = try ReplayString(parsing: text)
      #expect(throws: ReplayError.self) { try Replay(replay, on: subject) }
    }
  }
}
