import Primitives
import StressTesting
import WeakCollections

/// What can be wrong with the lock-free weak set and interner, which are one table.
enum WeakTableMutants {
  static var all: [Mutant] { sets + interners }

  private static var sets: [Mutant] {
    [
      set(
        "set-insertion-overwrites", .weakEntryOverwritten, "j0/j0",
        "an insertion replaces a living entry, whatever it found"),
      set(
        "set-entry-freed-at-once", .weakEntryFreedAtOnce, "j0,r0/a",
        "an entry that was removed is given back at once"),
      set(
        "set-removal-not-counted", .weakRemovalNotCounted, "j0,r0,e",
        "removals of entries are not counted"),
      set(
        "set-number-repeated", .weakNumberRepeated, "j0/j1",
        "the number of entries is read after it was changed"),
      set(
        "set-purge-counts-others", .purgeCountsOthers, "j0,d0,k/k",
        "a purge counts dead entries that another thread removed"),
    ]
  }

  private static var interners: [Mutant] {
    [
      interner(
        "interner-overwrites", .weakEntryOverwritten, .pair,
        "an insertion replaces a living entry, whatever it found"),
      interner(
        "interner-entry-freed-at-once", .weakEntryFreedAtOnce, .purge,
        "an entry that was removed is given back at once"),
      interner(
        "interner-swept-unasked", .sweptUnasked, .purge,
        "a sweep removes the entry that it finds, though it may be another than the dead one"),
      interner(
        "interner-dead-entry-kept", .deadEntryKept, .pair,
        "an insertion that finds a dead entry leaves it"),
      interner(
        "interner-removal-not-counted", .weakRemovalNotCounted, .removal,
        "removals of entries are not counted"),
      interner(
        "interner-loser-keeps", .internLoserKeeps, .pair,
        "who loses a get-or-insert returns the object that it had made"),
    ]
  }

  private static func set(
    _ name: String, _ defect: Defect, _ scenario: String, _ text: String
  ) -> Mutant {
    let planting = Planting.defect(defect)
    let subject = Subject(name) { domain -> Subject.WeakSet in
      planting.plant()
      return LockFreeWeakSet<Tracked>(domain: domain)
    }
    let original = BackendCatalog.subject(of: .lockFree, .weakSet)
    return Mutant(
      name, .structure, text,
      .scenario(subject, original: original, .trusted(scenario, for: .weakSet)))
  }

  private static func interner(
    _ name: String, _ defect: Defect, _ scenario: InternerScenario, _ text: String
  ) -> Mutant {
    Mutant(name, .structure, text, .interning(scenario, .defect(defect)))
  }
}
