import Testing

@testable import Benchmarking

@Suite(.enabled(if: BuildKind.isFitForMeasuring, "times mean nothing in this build"))
struct HarnessCostTests {
  @Test func `the generic runner costs at most a nanosecond an operation`() async {
    let cost = await HarnessCost.measure()
    #expect(cost.genericNanoseconds - cost.handWrittenNanoseconds <= 1)
  }
}
