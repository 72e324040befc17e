import Primitives
import WeakCollections

/// Who waits for the events of a monitor.
final class EventChannel: Sendable {
  private struct State {
    var buffers: [ObjectIdentifier: EventBuffer] = [:]
    var isFinished = false
  }

  private let isWatched = Atomic<Bool>(false)
  private let state = MutexLock(State())

  /// Hands on what `event` returns, which is not called if nobody waits.
  @inline(__always)
  func send(_ event: () -> LeakEvent) {
    // Relaxed: who subscribes while something happens may get it or not; the lock orders the buffers.
    guard isWatched.load(ordering: .relaxed) else { return }
    deliver(event())
  }

  func add(_ buffer: EventBuffer) {
    let isFinished = state.write { state in
      if !state.isFinished {
        state.buffers[ObjectIdentifier(buffer)] = buffer
        // Under the lock, as in `remove`, so that it agrees with the buffers.
        isWatched.store(true, ordering: .relaxed)
      }
      return state.isFinished
    }
    if isFinished { buffer.finish() }
  }

  func remove(_ buffer: EventBuffer) {
    let removed = state.write { state in
      let removed = state.buffers.removeValue(forKey: ObjectIdentifier(buffer))
      isWatched.store(!state.buffers.isEmpty, ordering: .relaxed)
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  /// Ends the sequences of all, once they have given what they have.
  func finish() {
    let buffers = state.write { state in
      state.isFinished = true
      isWatched.store(false, ordering: .relaxed)
      defer { state.buffers = [:] }
      return Array(state.buffers.values)
    }
    for buffer in buffers { buffer.finish() }
  }

  private func deliver(_ event: LeakEvent) {
    for buffer in state.read({ Array($0.buffers.values) }) { buffer.append(event) }
  }
}

/// That somebody waits, until it is released.
final class EventSubscription: Sendable {
  let buffer: EventBuffer
  private let channel: EventChannel

  init(in channel: EventChannel, _ capacity: Int) {
    self.channel = channel
    buffer = EventBuffer(capacity)
    channel.add(buffer)
  }

  deinit { channel.remove(buffer) }
}
