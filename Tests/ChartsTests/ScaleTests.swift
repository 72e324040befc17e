import Testing

@testable import Charts

@Suite struct ScaleTests {
  @Test func `a small span begins at 0 and ends at a round number`() {
    #expect(Scale.fitting([3, 17]) == .linear(0...20))
    #expect(Scale.fitting([0, 42]) == .linear(0...50))
    #expect(Scale.fitting([100]) == .linear(0...100))
  }

  @Test func `a span of more than a decade is drawn by ratios, and 0 keeps a place`() {
    #expect(Scale.fitting([3, 40]) == .logarithmic(2...50, hasZero: false))
    #expect(Scale.fitting([0, 0.004, 17]) == .logarithmic(0.002...20, hasZero: true))
  }

  @Test func `nothing and zeros alone have an axis too`() {
    #expect(Scale.fitting([]) == .linear(0...1))
    #expect(Scale.fitting([0, 0]) == .linear(0...1))
  }

  @Test(arguments: [
    [Double.leastNonzeroMagnitude, 1.7e308], [1.7e308], [.leastNonzeroMagnitude], [0, 1e-300, 1],
  ])
  func `numbers at the ends of what there is have a place`(_ values: [Double]) {
    let scale = Scale.fitting(values)
    let places = values.map(scale.position) + scale.ticks.map(scale.position)
    #expect(places.allSatisfy { $0 >= 0 && $0 <= 1 })
    #expect(scale.ticks.allSatisfy { $0.isFinite })
  }

  @Test func `equal ratios are equal distances`() {
    let scale = Scale.logarithmic(1...100, hasZero: false)
    #expect([1, 10, 100].map(scale.position) == [0, 0.5, 1])
    let withZero = Scale.logarithmic(1...100, hasZero: true)
    #expect(withZero.position(of: 0) == 0)
    #expect(withZero.position(of: 1) > 0.1)
    #expect(withZero.position(of: 100) == 1)
  }

  @Test func `places grow with the values and stay on the axis`() {
    for scale in [Scale.linear(2...12), .logarithmic(2...2000, hasZero: true)] {
      let places = [0, 1, 2, 3, 7, 11, 12, 500, 1e9].map(scale.position)
      #expect(places == places.sorted())
      #expect(places.first == 0)
      #expect(places.last == 1)
    }
  }

  @Test(arguments: [
    (Scale.linear(0...20), [0, 5, 10, 15, 20]),
    (.linear(0...1), [0, 0.2, 0.4, 0.6, 0.8, 1]),
    (.linear(0...50), [0, 10, 20, 30, 40, 50]),
    (.logarithmic(2...50, hasZero: false), [2, 5, 10, 20, 50]),
    (.logarithmic(1...10_000, hasZero: true), [0, 1, 10, 100, 1000, 10_000]),
    (.logarithmic(0.002...20, hasZero: false), [0.01, 0.1, 1, 10]),
  ])
  func `ticks are round`(_ scale: Scale, _ ticks: [Double]) {
    let found = scale.ticks
    #expect(found == ticks)
  }

  @Test func `no axis has more ticks than there is room for`() {
    for least in -8...8 {
      for most in least...12 {
        let values = [1.3, 2, 4.9].flatMap { [$0 * power(least), $0 * power(most)] }
        let count = Scale.fitting(values).ticks.count
        #expect((2...9).contains(count), "\(values)")
      }
    }
  }

  private func power(_ exponent: Int) -> Double { Double("1e\(exponent)")! }
}
