import EpochReclamation
import Primitives
import Testing
import Threading
@testable import WeakCollections

/// What the lock-free dictionary promises beyond the contract.
@Suite(.timeLimit(.minutes(10))) struct LockFreeDictionaryTests {
  @Test
  func `tables that were replaced are given back as it grows, and by 100,000 keys the last is`()
    async
  {
    await onOwnThread {
      let domain = EpochDomain()
      let dictionary = LockFreeDictionary<Int, Int>(domain: domain)
      for key in 0..<100_000 { dictionary.setValue(key, forKey: key) }
      #expect(dictionary.current.capacity == 262_144)
      #expect(domain.telemetry.retired > 10)
      #expect(domain.telemetry.backlog == 0)
    }
  }

  @Test func `keys chosen to collide do no harm`() {
    let seeds = HashSeeds(addend: 1, factor: 0x9e37_79b9_7f4a_7c15)
    let dictionary = LockFreeDictionary<Int, Int>(
      domain: EpochDomain(), leastCapacity: 4096, seeds: seeds)
    let colliding = (0...).lazy.filter {
      seeds.mix(Fingerprint<Int>($0).hash) & 4095 < 4
    }.prefix(1500)
    for key in colliding { dictionary.setValue(-key, forKey: key) }
    dictionary.finishMoves()
    let table = dictionary.current
    #expect(table.head.pointee.reseedings > 0)
    var longest = 0
    for key in colliding {
      let print = Fingerprint<Int>(key)
      longest = max(longest, table.distance(of: table.find(key, print).cell, print))
    }
    #expect(longest < 64)
    #expect(dictionary.count == 1500)
  }
}
