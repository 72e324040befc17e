/// What virtual threads may see of each other's stores.
public enum MemoryModel: String, Sendable, CaseIterable {
  /// Every store is seen by everyone at once.
  case sequentiallyConsistent = "sc"
  /// A store that is not sequentially consistent waits in its thread's buffer until the strategy
  /// lets it be seen; see `StoreBuffer`.
  case storeBuffers = "sb"
}
