import Dispatch
import Foundation
import RuntimeInspection
import Testing

/// Objects with blocks, which are C memory: a search does not enter them, and does not crash.
@Suite(.serialized, .enabled(if: RetainSearch.capability == .available))
struct RetainBlockTests {
  private typealias Block = @convention(block) () -> Void

  private final class Debouncer {
    var item: DispatchWorkItem?
    var count = 0

    func debounce() { item = DispatchWorkItem { self.count += 1 } }
  }

  private final class Poller {
    var timer: (any DispatchSourceTimer)?
    var count = 0

    func start() {
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(deadline: .now() + 1000)
      timer.setEventHandler { self.count += 1 }
      timer.resume()
      self.timer = timer
    }
  }

  private struct Wrapped {
    let number = 1
    let block: Block
  }

  private enum Choice {
    case none
    case some(Block, Int)
  }

  /// An object with a block in a value of each kind, before and after other fields.
  private final class Blocks {
    let block: Block
    var optional: Block?
    let pair: (Int, Block)
    let wrapped: Wrapped
    let choice: Choice
    var other: Blocks?
    var action: (() -> Void)?

    init(_ block: @escaping Block) {
      self.block = block
      optional = block
      pair = (1, block)
      wrapped = Wrapped(block: block)
      choice = .some(block, 2)
    }
  }

  @Test func `a cycle through a block is not found, and nothing crashes`() {
    let debouncer = Debouncer()
    debouncer.debounce()
    #expect(findPatiently(debouncer).isNone)
    debouncer.item = nil
    let poller = Poller()
    poller.start()
    #expect(findPatiently(poller).isNone)
    poller.timer?.cancel()
    poller.timer = nil
  }

  @Test func `the objects of Dispatch and Foundation can be searched for`() async {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "queue")
      let source = DispatchSource.makeUserDataAddSource()
      source.resume()
      let subjects: [AnyObject] = [
        DispatchWorkItem {}, queue, DispatchGroup(), DispatchSemaphore(value: 1),
        source as AnyObject, DispatchQueue.global(),
        DispatchIO(type: .stream, fileDescriptor: 0, queue: queue) { _ in }, OperationQueue(),
        BlockOperation {}, NotificationCenter(), Thread {}, NSArray(array: [1]),
        NSError(domain: "a", code: 1),
      ]
      for subject in subjects {
        var search = RetainSearch(timeout: .seconds(60))
        search.addRoot("itself", subject)
        if case .unavailable(let reason) = findPatiently(subject, with: search) {
          print(type(of: subject), reason)
          exit(2)
        }
      }
    }
  }

  @Test func `the fields beside a block are searched`() throws {
    let blocks = Blocks {}
    blocks.other = blocks
    #expect(try #require(findPatiently(blocks).path).edges == [RetainPath.Edge(label: ".other")])
    blocks.other = nil
    let block = blocks.block
    blocks.action = { [number = blocks.pair.0] in
      block()
      if number > 1 { blocks.action = nil }
    }
    let path = try #require(findPatiently(blocks).path)
    #expect(path.edges.map(\.label) == [".action", "capture"])
    blocks.action = nil
  }
}
