import Mutants
import StressTesting
import Testing

/// The zoo as a list, which exists in every build.
@Suite struct ZooTests {
  @Test func `every mutant has a name of its own, one that is no backend's`() {
    let names = (Zoo.mutants + Zoo.equivalents).map(\.name)
    #expect(Set(names).count == names.count)
    #expect(Set(names).isDisjoint(with: BackendCatalog.subjects.map(\.name)))
    let letters = Set("abcdefghijklmnopqrstuvwxyz-")
    #expect(names.allSatisfy { $0.allSatisfy(letters.contains) })
  }

  @Test func `there are as many mutants of each part as were promised`() {
    func count(_ part: Mutant.Part) -> Int { Zoo.mutants.count { $0.part == part } }
    #expect(count(.contract) >= 10)
    #expect(count(.reclamation) >= 10)
    #expect(count(.structure) >= 5)
    #expect(Zoo.mutants.count >= 25)
  }

  @Test func `every tool has a mutant that it must find`() {
    #expect(Set(Zoo.mutants.map(\.hunt.tool)) == Set(Tool.allCases))
  }

  @Test func `every hunt has one through the code as it is, and each ground is hunted once`() {
    let originals = Zoo.originals(of: Zoo.mutants)
    let grounds = originals.map(\.ground)
    #expect(Set(grounds).count == grounds.count)
    #expect(Set(grounds) == Set(Zoo.mutants.map(\.hunt.ground)))
    #expect(originals.map(\.tool).allSatisfy(Tool.allCases.contains))
  }

  @Test func `a mutant is not what it was made from`() {
    for mutant in Zoo.mutants + Zoo.equivalents {
      if case .stress(let subject, let original, _) = mutant.hunt {
        #expect(subject.name != original.name && subject.collection == original.collection)
      }
    }
  }
}
