import CShims
import Primitives
import Threading

/// A thousand objects that are alive, and nothing else: what loops over a weak array are held against.
final class LiveObjects: @unchecked Sendable {
  // @unchecked: immutable.
  static let count = 1000

  let members: [Member]
  private let addresses: UnsafeMutableBufferPointer<UnsafeMutableRawPointer>

  init() {
    let tally = Census().tallies[0]
    members = (0..<Self.count).map { _ in Member(tally) }
    addresses = .allocate(capacity: Self.count)
    _ = addresses.initialize(
      from: members.map { Unmanaged.passUnretained($0).toOpaque() })
  }

  deinit { addresses.deallocate() }

  /// Hands each of them to `body`, without the retain and release that a loop over `members` makes: on
  /// some machines these are a third of what an append takes.
  @inline(__always)
  func forEach(_ body: (Member) -> Void) {
    for address in addresses {
      Unmanaged<Member>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
    }
  }

  /// Promotes and releases each of them.
  @inline(never)
  func promoteAll() {
    for address in addresses {
      guard let object = promote(address) else { continue }
      consume(Int(bitPattern: object))
      Unmanaged<Member>.fromOpaque(object).release()
    }
  }

  /// Promotes each of them into an array, with room for all, and lets go of it.
  @inline(never)
  func promoteAllIntoArray() {
    var promoted: [Member] = []
    promoted.reserveCapacity(Self.count)
    for address in addresses {
      guard let object = promote(address) else { continue }
      promoted.append(Unmanaged<Member>.fromOpaque(object).takeRetainedValue())
    }
    consume(promoted.count)
  }

  /// Retains each of them, then releases each: two loops, so that no pair can be left out.
  @inline(never)
  func retainAndReleaseAll() {
    for address in addresses { _ = Unmanaged<Member>.fromOpaque(address).retain() }
    for address in addresses { Unmanaged<Member>.fromOpaque(address).release() }
  }
}

/// What the weak slots of Linux do; elsewhere a strong retain, which is no slower.
@inline(__always)
private func promote(_ address: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  #if os(Linux)
    swift_tryRetain(address)
  #else
    Unmanaged<Member>.fromOpaque(address).retain().toOpaque()
  #endif
}

/// A loop over live objects, several times between two looks at the clock.
struct BareLoop: RepeatedWork {
  let objects: LiveObjects
  let loop: @Sendable (LiveObjects) -> Void

  private static let passes = 8

  func doOnce() async -> TimedOperations {
    await timed(Self.passes * LiveObjects.count) {
      for _ in 0..<Self.passes { loop(objects) }
    }
  }
}
