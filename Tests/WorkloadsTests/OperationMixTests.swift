import Testing
import Workloads

struct OperationMixTests {
  @Test func `a mix is read in any order and written in one`() throws {
    let mix = try OperationMix(parsing: "remove=2, read=95,insert=3,update=0")
    #expect(mix == (try OperationMix(read: 95, insert: 3, remove: 2)))
    #expect(mix.description == "read=95,insert=3,remove=2")
    #expect(try OperationMix(parsing: mix.description) == mix)
  }

  @Test(arguments: [
    ("", WorkloadError.emptyMix),
    ("  ", .emptyMix),
    ("read", .malformedShare("read")),
    ("=100", .malformedShare("=100")),
    ("read=", .malformedShare("read=")),
    ("read=1e2", .malformedShare("read=1e2")),
    ("read=50=50", .malformedShare("read=50=50")),
    ("read=100,", .malformedShare("")),
    ("reed=100", .unknownOperation("reed")),
    ("read=50,read=50", .repeatedOperation(.read)),
    ("read=101,insert=-1", .shareOutOfRange(.read, found: 101)),
    ("insert=-1,read=99", .shareOutOfRange(.insert, found: -1)),
    ("read=9223372036854775807,insert=1", .shareOutOfRange(.read, found: .max)),
    ("read=90,insert=9", .sharesDoNotSumTo100(found: 99)),
    ("read=100,insert=100", .sharesDoNotSumTo100(found: 200)),
  ])
  func `a wrong mix is refused with its reason`(_ text: String, _ expected: WorkloadError) {
    #expect(throws: expected) { try OperationMix(parsing: text) }
    #expect(!expected.description.contains("\n"))
  }

  @Test func `an unknown operation's message suggests and lists`() {
    let message = WorkloadError.unknownOperation("reed").description
    #expect(
      message == "unknown operation 'reed'; did you mean read? "
        + "(allowed: read, insert, update, remove, iterate)")
  }

  @Test func `the hundred draws give exactly the shares`() throws {
    let mix = try OperationMix(read: 10, insert: 40, update: 10, remove: 39, iterate: 1)
    let drawn = (0..<100).map(mix.operation(forDraw:))
    for operation in OperationKind.allCases {
      #expect(drawn.count { $0 == operation } == mix.share(of: operation))
    }
  }
}
