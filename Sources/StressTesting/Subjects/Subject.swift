import EpochReclamation
import Interleaving
import WeakCollections

/// What is tested: a collection by name, and how to make one.
package struct Subject: Sendable {
  package typealias WeakArray = any ConcurrentWeakArray<Tracked> & Sendable
  package typealias WeakSet = any ConcurrentWeakSet<Tracked> & Sendable
  package typealias Dictionary = any ConcurrentDictionary<StressKey, Tracked> & Sendable

  /// Makes an empty collection; one that reclaims uses the domain given.
  package enum Maker: Sendable {
    case weakArray(@Sendable (EpochDomain) -> WeakArray)
    case dictionary(@Sendable (EpochDomain) -> Dictionary)
    case weakSet(@Sendable (EpochDomain) -> WeakSet)
  }

  /// As `--backend` calls it.
  package let name: String
  package let maker: Maker
  /// Orderings that schedules weaken in it; none in what is shipped.
  package var weakenings: [Weakening] = []
  /// Whether a thread that stops for ever may stop no other one, `update` excepted.
  package var isLockFree = false

  package init(_ name: String, weakArray make: @escaping @Sendable (EpochDomain) -> WeakArray) {
    self.name = name
    maker = .weakArray(make)
  }

  package init(_ name: String, dictionary make: @escaping @Sendable (EpochDomain) -> Dictionary) {
    self.name = name
    maker = .dictionary(make)
  }

  package init(_ name: String, weakSet make: @escaping @Sendable (EpochDomain) -> WeakSet) {
    self.name = name
    maker = .weakSet(make)
  }

  package var collection: CollectionKind {
    switch maker {
    case .weakArray: .weakArray
    case .dictionary: .dictionary
    case .weakSet: .weakSet
    }
  }

  /// Whether no operation suspends: only then can a `deinit` use it, and a schedule be chosen for it.
  package var isSynchronous: Bool {
    switch maker {
    case .weakArray(let make): make(.shared) is any SynchronousWeakArray
    case .dictionary(let make): make(.shared) is any SynchronousDictionary
    case .weakSet(let make): make(.shared) is any SynchronousWeakSet
    }
  }
}

extension Subject: CustomStringConvertible {
  package var description: String { "\(collection.rawValue) \(name)" }
}

/// Where subjects come from: the backends here, the planted bugs of the mutant zoo elsewhere.
package protocol SubjectCatalog {
  static var subjects: [Subject] { get }
}
