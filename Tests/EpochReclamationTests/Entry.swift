import EpochReclamation
import Threading

/// An entry that does something when it is reclaimed.
enum Entry: Reclaimable {
  static func make(_ onReclaim: @escaping @Sendable () -> Void) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(Dying(onReclaim)).toOpaque()
  }

  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    Unmanaged<Dying>.fromOpaque(pointer).release()
  }
}

/// An entry that a census counts until it is reclaimed.
enum CountedEntry: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    Unmanaged<Counted>.fromOpaque(pointer).release()
  }
}

extension EpochDomain {
  func retire(_ onReclaim: @escaping @Sendable () -> Void) {
    retire(Entry.make(onReclaim), as: Entry.self)
  }

  func retire(_ count: Int, in census: Census) {
    for number in 0..<count {
      retire(
        Unmanaged.passRetained(Counted(number, in: census)).toOpaque(), as: CountedEntry.self)
    }
  }
}

/// A thread that pins a domain until it is told to let go, and ends when it is told to.
final class Pinner: Sendable {
  private let isPinned = Gate()
  private let mayUnpin = Gate()
  private let isUnpinned = Gate()
  private let mayEnd = Gate()
  private let thread: OwnedThread

  /// Returns once the domain is pinned.
  init(_ domain: EpochDomain) {
    thread = OwnedThread { [isPinned, mayUnpin, isUnpinned, mayEnd] in
      domain.pin {
        isPinned.open()
        mayUnpin.wait()
      }
      isUnpinned.open()
      mayEnd.wait()
    }
    isPinned.wait()
  }

  func unpin() {
    mayUnpin.open()
    isUnpinned.wait()
  }

  func end() {
    mayUnpin.open()
    mayEnd.open()
    thread.join()
  }
}
