import WeakCollections

/// `forEach` over all elements, which are alive.
struct ForEach<A: ConcurrentWeakArray & Sendable>: RepeatedWork where A.Element == Member {
  let array: A
  let objects: LiveObjects

  func doOnce() async -> TimedOperations {
    await timed(LiveObjects.count) {
      await array.forEach { member in
        consume(Int(bitPattern: Unmanaged.passUnretained(member).toOpaque()))
      }
    }
  }
}

/// The snapshot `all`, and letting go of it.
struct TakeAll<A: ConcurrentWeakArray & Sendable>: RepeatedWork where A.Element == Member {
  let array: A
  let objects: LiveObjects

  func doOnce() async -> TimedOperations {
    await timed(LiveObjects.count) { consume(await array.all.count) }
  }
}

/// Appends to empty arrays, growth included; making the arrays and letting go of them is not.
struct AppendAll<A: SynchronousWeakArray & Sendable>: RepeatedWork where A.Element == Member {
  let objects: LiveObjects

  private static var arrays: Int { 16 }

  func doOnce() async -> TimedOperations {
    let arrays = (0..<Self.arrays).map { _ in A() }
    return await timed(Self.arrays * LiveObjects.count) {
      for array in arrays {
        objects.forEach { member in consume(array.append(member)) }
      }
    }
  }
}
