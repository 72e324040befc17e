import EpochReclamation
import Threading

/// An entry that calls a closure when it is reclaimed.
enum Entry: Reclaimable {
  static func make(_ onReclaim: @escaping @Sendable () -> Void) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(Dying(onReclaim)).toOpaque()
  }

  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    Unmanaged<Dying>.fromOpaque(pointer).release()
  }
}

/// An entry that a `LifetimeCounter` counts as live until it is reclaimed.
enum CountedEntry: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    Unmanaged<Counted>.fromOpaque(pointer).release()
  }
}

extension EpochDomain {
  func retire(_ onReclaim: @escaping @Sendable () -> Void) {
    retire(Entry.make(onReclaim), as: Entry.self)
  }

  func release(_ onReclaim: @escaping @Sendable () -> Void) {
    release(Entry.make(onReclaim), as: Entry.self)
  }

  func release(_ count: Int, in lifetimes: LifetimeCounter) {
    release(
      (0..<count).map { Unmanaged.passRetained(Counted($0, in: lifetimes)).toOpaque() },
      as: CountedEntry.self)
  }

  func retire(_ count: Int, in lifetimes: LifetimeCounter) {
    for number in 0..<count {
      retire(
        Unmanaged.passRetained(Counted(number, in: lifetimes)).toOpaque(), as: CountedEntry.self)
    }
  }
}

extension PinnedThread {
  /// Creates a thread that pins `domain` until `leave()`.
  convenience init(pinning domain: EpochDomain) {
    self.init { stay in domain.pin { stay() } }
  }
}
