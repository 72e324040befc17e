import Interleaving
import Testing

struct ScheduleTests {
  private let schedule = Schedule(
    memory: .storeBuffers,
    decisions: [
      .begin(thread: 1), .run(thread: 1), .run(thread: 1), .run(thread: 1), .run(thread: 2),
      .drain(thread: 1, entry: 0), .suspend(thread: 2), .run(thread: 1),
    ])

  @Test func `a schedule's text is short, and reads back`() throws {
    #expect(schedule.description == "1sb:b1,1x3,2,d1.0,s2,1")
    #expect(try Schedule(parsing: schedule.description) == schedule)
    let empty = Schedule(memory: .sequentiallyConsistent, decisions: [])
    #expect(empty.description == "1sc:")
    #expect(try Schedule(parsing: "1sc:") == empty)
  }

  @Test func `a schedule's text has the promises after a second colon`() throws {
    let schedule = Schedule(
      memory: .reorderedLoads, decisions: [.run(thread: 1), .readPromise(thread: 1, promise: 0)],
      promises: [
        PromisedStore(thread: 2, access: 5, value: 3),
        PromisedStore(thread: 1, access: 1, value: 0),
      ])
    #expect(schedule.description == "1rl:1,p1.0:2.5.3,1.1.0")
    #expect(try Schedule(parsing: schedule.description) == schedule)
  }

  @Test func `switches are counted between threads alone`() {
    #expect(schedule.switchCount == 2)
  }

  @Test func `another version is refused`() {
    #expect(throws: ScheduleError.otherVersion("2")) { try Schedule(parsing: "2sb:1x3") }
    #expect(throws: ScheduleError.otherVersion("10")) { try Schedule(parsing: "10sb:1x3") }
  }

  @Test(arguments: [
    ("", 1, "the version of a schedule"), ("sb:1", 1, "the version of a schedule"),
    ("1xy:1", 2, "sc, sb or rl"), ("1sb", 4, "a colon"), ("1sb:0", 5, "a number from 1 to 160"),
    ("1sb:1y", 6, "a comma or the end"), ("1sb:1,", 7, "a number from 1 to 160"),
    ("1sb:1x0", 7, "a number from 1 to 16777216"), ("1sb:d1", 7, "a full stop"),
    ("1sb:b0", 6, "a number from 1 to 160"),
    ("1sb:d1.32", 8, "a number from 0 to 31"),
    ("1rl:1,p1.32", 10, "a number from 0 to 31"), ("1rl:p1.0:1.1", 13, "a full stop"),
    ("1rl:p1.0:1.0.1", 12, "a number from 1 to 16777216"),
    ("1rl:p1.0:1.1.65536", 14, "a number from 0 to 65535"),
    ("1rl:p1.0:1.1.1:", 15, "a comma or the end"),
    ("1sb:1x99999999999999999999", 7, "a number from 1 to 16777216"),
    ("1sb:\u{e9}", 5, "a number from 1 to 160"),
  ])
  func `nonsense is refused where it begins`(_ text: String, _ column: Int, _ expected: String) {
    #expect(throws: ScheduleError.malformed(column: column, expected: expected)) {
      try Schedule(parsing: text)
    }
  }
}
