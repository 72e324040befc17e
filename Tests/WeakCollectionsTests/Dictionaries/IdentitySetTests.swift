import Testing
import WeakCollections

/// A weak set of identical objects, made of what there is: a dictionary from identity to weak
/// reference.
///
/// A dead object's identity may come back as another's; the entry is then replaced, in one step.
private struct IdentitySet {
  let references: AnyDictionary<ObjectIdentifier, WeakReference<Pupil>>

  func insert(_ pupil: Pupil) async {
    await references.update(ObjectIdentifier(pupil)) { reference in
      if reference?.refers(to: pupil) != true { reference = WeakReference(pupil) }
    }
  }

  var liveCount: Int {
    get async { await references.snapshot.values.count { $0.promote() != nil } }
  }
}

private final class Pupil: Sendable {}

@Suite struct IdentitySetTests {
  @Test(arguments: Backend.supporting(.dictionary))
  func `0.4 an identity weak set adds once and counts the living`(_ backend: Backend) async throws {
    let set = IdentitySet(
      references: try await backend.dictionary(
        from: ObjectIdentifier.self, to: WeakReference<Pupil>.self))
    var pupils = (0..<100).map { _ in Pupil() }
    for _ in 0..<3 {
      for pupil in pupils { await set.insert(pupil) }
    }
    #expect(await set.liveCount == 100)
    pupils.removeLast(60)
    #expect(await set.liveCount == 40)
    let others = (0..<60).map { _ in Pupil() }  // Most likely where the dead ones were.
    for pupil in others { await set.insert(pupil) }
    #expect(await set.liveCount == 100)
    withExtendedLifetime((pupils, others)) {}
  }
}
