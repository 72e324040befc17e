import LeakTesting
import Testing

/// Child tasks end before what awaits them returns, and so hold nothing after it.
actor Gallery {
  private(set) var thumbnails: [Int] = []

  func loadBoth() async {
    async let first = thumbnail(1)
    async let second = thumbnail(2)
    await thumbnails += [first, second]
  }

  func loadAll() async {
    await withTaskGroup(of: Int.self) { group in
      for number in 1...3 { group.addTask { await self.thumbnail(number) } }
      for await thumbnail in group { thumbnails.append(thumbnail) }
    }
  }

  func loadEach() async {
    await withDiscardingTaskGroup { group in
      for number in 1...100 { group.addTask { await self.add(number) } }
    }
  }

  private func add(_ number: Int) { thumbnails.append(number) }

  private func thumbnail(_ number: Int) async -> Int {
    await Task.yield()
    return number
  }
}

@Suite(.noLeaks) struct StructuredTaskTests {
  private let gallery = track(Gallery())

  @Test func `2.20 child tasks of async let are no leak`() async {
    await gallery.loadBoth()
    #expect(await gallery.thumbnails == [1, 2])
  }

  @Test func `2.20 child tasks of a group are no leak`() async {
    await gallery.loadAll()
    #expect(await gallery.thumbnails.sorted() == [1, 2, 3])
  }

  @Test func `2.20 child tasks of a discarding group are no leak`() async {
    await gallery.loadEach()
    #expect(await gallery.thumbnails.count == 100)
  }
}
