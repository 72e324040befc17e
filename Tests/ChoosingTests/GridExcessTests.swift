import Testing

@testable import Choosing

struct GridExcessTests {
  @Test func `within nothing is said`() {
    #expect(GridExcess().isWithin && GridExcess().description.isEmpty)
  }

  @Test func `each excess is told with its direction`() {
    var excess = GridExcess()
    (excess.threads, excess.size, excess.shares) = (3, -4, 0.26)
    #expect(
      excess.description
        == "8 times the threads measured; 1/16 of the size measured; "
        + "26 % of the operations are of no measured mix")
    excess = GridExcess()
    (excess.workload, excess.liveFraction, excess.churn) = ("mine", 0.5, 0.1)
    excess.keyDistribution = "single-key"
    #expect(
      excess.description
        == "the workload mine was not measured; 50 % fewer entries live than measured; "
        + "10 % of the operations let an entry die, measured none; "
        + "keys drawn single-key were not measured")
  }
}
