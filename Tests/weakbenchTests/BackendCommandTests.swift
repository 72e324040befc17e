import Foundation
import Testing
import WeakCollections

@testable import weakbench

@Suite struct BackendCommandTests {
  @Test func `each name is told, with the type it stands for in this build`() {
    let types = [
      "AtomicWeakArray": "\(AtomicWeakArray<NSObject>.self)",
      "AtomicDictionary": "\(AtomicDictionary<Int, Int>.self)",
      "AtomicWeakSet": "\(AtomicWeakSet<NSObject>.self)",
      "makeWeakArray()": "\(type(of: makeWeakArray(of: Element.self)))",
      "makeDictionary()": "\(type(of: makeDictionary(from: Int.self, to: Int.self)))",
      "makeWeakSet()": "\(type(of: makeWeakSet(of: Element.self)))",
    ]
    let meanings = NameMeaning.all
    #expect(
      meanings.map(\.name).filter { $0 != "MemoryLeakMonitor" }.sorted() == types.keys.sorted())
    for meaning in meanings where meaning.type != nil {
      // A lock's collection is an alias of one that is generic in the lock.
      let type = types[meaning.name] ?? ""
      let prefix = meaning.type!.prefix { $0 != "W" && $0 != "D" }
      #expect(type.contains(prefix), "\(meaning.name) is \(type), not \(meaning.type!)")
      #expect(!meaning.why.isEmpty)
    }
  }

  @Test func `the monitor never suspends, and says why it uses what it uses`() throws {
    let monitor = try #require(NameMeaning.all.last)
    #expect(monitor.name == "MemoryLeakMonitor" && monitor.type == nil)
    #expect(monitor.backend.isSynchronous && !monitor.why.isEmpty)
  }

  @Test func `why follows from the trait`() {
    let standard = NameMeaning(atomic: .dictionary, means: .lockFree, selected: nil)
    #expect(standard.why == "It is the default; no trait selects another.")
    let selected = NameMeaning(atomic: .dictionary, means: .mutex, selected: .mutex)
    #expect(selected.why == "The trait MutexBackend selects it.")
    let actor = NameMeaning(atomic: .weakSet, means: .lockFree, selected: .actor)
    #expect(
      actor.why == "It is the default; the trait ActorBackend selects one that suspends.")
    let lacking = NameMeaning(factory: .weakArray, means: .adaptiveLock, selected: .stripedLock)
    #expect(lacking.why.hasPrefix("The trait StripedLockBackend selects one without a weak-array"))
    #expect(lacking.name == "makeWeakArray()" && lacking.type == "AdaptiveLockWeakArray")
  }

  @Test func `JSON reads back equal`() throws {
    let data = Data(NameMeaning.json(of: NameMeaning.all).utf8)
    #expect(try JSONDecoder().decode([NameMeaning].self, from: data) == NameMeaning.all)
  }

  @Test func `the table has a line for each name`() {
    let lines = NameMeaning.text(of: NameMeaning.all).split(separator: "\n")
    #expect(lines.count == 8 && lines[0].hasPrefix("NAME"))
  }

  private final class Element: Sendable {}
}
