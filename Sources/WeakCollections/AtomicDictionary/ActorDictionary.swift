/// The dictionary as an actor: for code that suspends anyway and must never block a thread.
///
/// What an operation takes out is released in the caller's context, not in the actor's. No operation
/// suspends inside, so each is one step.
public actor ActorDictionary<Key: Hashable & Sendable, Value: Sendable>: ConcurrentDictionary {
  private var values: [Key: Value] = [:]

  public init() {}

  public nonisolated func value(forKey key: Key) async -> Value? {
    await valueInside(key)
  }

  public nonisolated func withValue<R: Sendable, F: Error>(
    forKey key: Key, _ body: @Sendable (borrowing Value) throws(F) -> R
  ) async throws(F) -> R? {
    try await borrowInside(key, body)
  }

  public nonisolated func setValue(_ value: Value, forKey key: Key) async {
    _ = await replaceInside(key, value)
  }

  @discardableResult
  public nonisolated func removeValue(forKey key: Key) async -> Value? {
    await removeInside(key)?.value
  }

  public nonisolated func value(
    forKey key: Key, orInsert makeValue: @Sendable () -> Value
  ) async -> Value {
    if let present = await valueInside(key) { return present }
    return await insertInside(key, makeValue())
  }

  public nonisolated func update<R: Sendable, F: Error>(
    _ key: Key, _ body: @Sendable (inout Value?) throws(F) -> R
  ) async throws(F) -> R {
    try await updateInside(key, body).result.get()
  }

  public nonisolated var count: Int {
    get async { await countInside }
  }

  public nonisolated var snapshot: [Key: Value] {
    get async { await snapshotInside }
  }

  public nonisolated func removeAll() async {
    _ = await removeAllInside()
  }

  private func borrowInside<R: Sendable, F: Error>(
    _ key: Key, _ body: @Sendable (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    try values.borrow(key, in: self, body)
  }

  private func valueInside(_ key: Key) -> Value? { values[key] }

  private func replaceInside(_ key: Key, _ value: Value) -> Value? {
    values.replaceValue(value, forKey: key)
  }

  private func removeInside(_ key: Key) -> (key: Key, value: Value)? { values.takeOut(key) }

  /// Asks again: between the caller's look and this one anything may have happened.
  private func insertInside(_ key: Key, _ made: Value) -> Value {
    if let present = values[key] { return present }
    values[key] = made
    return made
  }

  private func updateInside<R: Sendable, F: Error>(
    _ key: Key, _ body: @Sendable (inout Value?) throws(F) -> R
  ) -> UpdateOutcome<Key, Value, R, F> {
    values.update(key, in: self, body)
  }

  private var countInside: Int { values.count }

  private var snapshotInside: [Key: Value] { values }

  private func removeAllInside() -> [Key: Value] {
    defer { values = [:] }
    return values
  }
}
