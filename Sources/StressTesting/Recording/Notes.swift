/// What one operation was seen to do.
struct Note: Sendable {
  var call: UInt64?
  var `return`: UInt64?
  var answer: Answer?
}

/// Room for a lane's notes, there before the first operation.
// @unchecked: each note is written by one thread, and read once that thread is joined.
final class Notes: @unchecked Sendable {
  private let notes: UnsafeMutableBufferPointer<Note>

  init(count: Int) {
    notes = .allocate(capacity: count)
    notes.initialize(repeating: Note())
  }

  deinit {
    notes.deinitialize()
    notes.deallocate()
  }

  subscript(index: Int) -> Note {
    get { notes[index] }
    set { notes[index] = newValue }
  }

  /// Runs one operation between two stamps; its answer is let go after the second.
  func record(_ index: Int, _ stamps: StampSource, _ operation: () -> Response) {
    notes[index].call = stamps.now()
    let response = operation()
    notes[index].return = stamps.now()
    notes[index].answer = response.answer
  }

  /// The same for an operation that may suspend.
  func record(_ index: Int, _ stamps: StampSource, _ operation: () async -> Response) async {
    notes[index].call = stamps.now()
    let response = await operation()
    notes[index].return = stamps.now()
    notes[index].answer = response.answer
  }
}
