import StressTesting
import WeakCollections

/// The real actor, but get-or-insert suspends between its look and its act: the actor is re-entrant, and
/// serves others in between.
final class ReentrantActorDictionary: ConcurrentDictionary, Sendable {
  private let dictionary = ActorDictionary<StressKey, Tracked>()

  func value(
    forKey key: StressKey, orInsert makeValue: @Sendable () -> Tracked
  ) async -> Tracked {
    if let present = await dictionary.value(forKey: key) { return present }
    let made = makeValue()
    await Task.yield()
    await dictionary.setValue(made, forKey: key)
    return made
  }

  func value(forKey key: StressKey) async -> Tracked? { await dictionary.value(forKey: key) }

  func setValue(_ value: Tracked, forKey key: StressKey) async {
    await dictionary.setValue(value, forKey: key)
  }

  @discardableResult
  func removeValue(forKey key: StressKey) async -> Tracked? {
    await dictionary.removeValue(forKey: key)
  }

  func update<R: Sendable, F: Error>(
    _ key: StressKey, _ body: @Sendable (inout Tracked?) throws(F) -> R
  ) async throws(F) -> R {
    try await dictionary.update(key, body)
  }

  var count: Int { get async { await dictionary.count } }

  var snapshot: [StressKey: Tracked] { get async { await dictionary.snapshot } }

  func removeAll() async { await dictionary.removeAll() }
}
