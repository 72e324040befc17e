#if Interleaving
  import Interleaving
  import Testing

  /// A litmus test: a program with an outcome that is not sequentially consistent, and whether
  /// published models allow it.
  private struct Litmus: Sendable {
    let name: String
    let program: String
    /// Whether ISO C++20 allows the outcome, with the corrections of Lahav and others (PLDI 2017).
    let isAllowedByCpp: Bool
    /// Whether Armv8 allows it (Pulte and others, POPL 2018), where an acquire is `ldar`, a release
    /// `stlr`, and a fence `dmb ish`, or `dmb ishld` if it only acquires.
    let isAllowedByArm: Bool
    /// Why no model of ours shows an outcome that C++ allows.
    var missing: String?

    init(
      _ name: String, _ program: String, cpp: Bool, arm: Bool, missing: String? = nil
    ) {
      self.name = name
      self.program = program
      isAllowedByCpp = cpp
      isAllowedByArm = arm
      self.missing = missing
    }
  }

  /// The names are those of Maranget, Sarkar and Sewell, *A tutorial introduction to the ARM and
  /// POWER relaxed memory models* (2012).
  private let litmusTests = [
    Litmus("SB", "Wx1 Ry0 ‖ Wy1 Rx0", cpp: true, arm: true),
    Litmus("SB, release and acquire", "Wx1.rel Ry0.acq ‖ Wy1.rel Rx0.acq", cpp: true, arm: false),
    Litmus("SB, sc", "Wx1.sc Ry0.sc ‖ Wy1.sc Rx0.sc", cpp: false, arm: false),
    Litmus("SB, sc stores", "Wx1.sc Ry0 ‖ Wy1.sc Rx0", cpp: true, arm: true),
    Litmus("SB, sc loads", "Wx1 Ry0.sc ‖ Wy1 Rx0.sc", cpp: true, arm: true),
    Litmus("SB, sc fences", "Wx1 F.sc Ry0 ‖ Wy1 F.sc Rx0", cpp: false, arm: false),
    Litmus("SB, acq-rel fences", "Wx1 F.ar Ry0 ‖ Wy1 F.ar Rx0", cpp: true, arm: false),
    Litmus("SB, one sc fence", "Wx1 F.sc Ry0 ‖ Wy1 Rx0", cpp: true, arm: true),
    Litmus("SB, sc accesses and fence", "Wx1.sc Ry0.sc ‖ Wy1 F.sc Rx0", cpp: false, arm: false),
    Litmus("SB, updates", "Ax0 Ry0 ‖ Ay0 Rx0", cpp: true, arm: true),
    Litmus("SB, acq-rel updates", "Ax0.ar Ry0.acq ‖ Ay0.ar Rx0.acq", cpp: true, arm: false),
    Litmus("SB, sc updates", "Ax0.sc Ry0.sc ‖ Ay0.sc Rx0.sc", cpp: false, arm: false),
    Litmus("MP", "Wx1 Wy1 ‖ Ry1 Rx0", cpp: true, arm: true),
    Litmus("MP, release and acquire", "Wx1 Wy1.rel ‖ Ry1.acq Rx0", cpp: false, arm: false),
    Litmus("MP, release only", "Wx1 Wy1.rel ‖ Ry1 Rx0", cpp: true, arm: true),
    Litmus("MP, acquire only", "Wx1 Wy1 ‖ Ry1.acq Rx0", cpp: true, arm: true),
    Litmus("MP, sc loads", "Wx1 Wy1 ‖ Ry1.sc Rx0.sc", cpp: true, arm: true),
    Litmus("MP, fences", "Wx1 F.rel Wy1 ‖ Ry1 F.acq Rx0", cpp: false, arm: false),
    Litmus("MP, release fence and acquire", "Wx1 F.rel Wy1 ‖ Ry1.acq Rx0", cpp: false, arm: false),
    Litmus("MP, release and acquire fence", "Wx1 Wy1.rel ‖ Ry1 F.acq Rx0", cpp: false, arm: false),
    Litmus("MP, release fence only", "Wx1 F.rel Wy1 ‖ Ry1 Rx0", cpp: true, arm: true),
    Litmus("MP, acquire fence only", "Wx1 Wy1 ‖ Ry1 F.acq Rx0", cpp: true, arm: true),
    Litmus("MP, sc fences", "Wx1 F.sc Wy1 ‖ Ry1 F.sc Rx0", cpp: false, arm: false),
    Litmus("MP, release sequence", "Wx1 Wy1.rel ‖ Ay1 ‖ Ry2.acq Rx0", cpp: false, arm: false),
    Litmus(
      "MP, store after the release", "Wx1 Wy1.rel Wy2 ‖ Ry2.acq Rx0", cpp: true, arm: false),
    Litmus(
      "LB", "Rx1 Wy1 ‖ Ry1 Wx1", cpp: true, arm: true),
    Litmus(
      "LB, releases", "Rx1 Wy1.rel ‖ Ry1 Wx1.rel", cpp: true, arm: false),
    Litmus(
      "LB, acquires", "Rx1.acq Wy1 ‖ Ry1.acq Wx1", cpp: true, arm: false),
    Litmus("LB, one release", "Rx1 Wy1.rel ‖ Ry1 Wx1", cpp: true, arm: true),
    Litmus(
      "LB, sc loads", "Rx1.sc Wy1 ‖ Ry1.sc Wx1", cpp: true, arm: false,
      missing: "a sequentially consistent load that executes late"),
    Litmus("LB, one update", "Ax1 Wy1 ‖ Ry1 Wx1", cpp: true, arm: true),
    Litmus("LB, three threads", "Rx1 Wy1 ‖ Ry1 Wz1 ‖ Rz1 Wx1", cpp: true, arm: true),
    Litmus("LB, acquire fences", "Rx1 F.acq Wy1 ‖ Ry1 F.acq Wx1", cpp: true, arm: false),
    Litmus("LB, release and acquire fence", "Rx1 F.acq Wy1 ‖ Ry1 Wx1.rel", cpp: false, arm: false),
    Litmus("LB, acq-rel fences", "Rx1 F.ar Wy1 ‖ Ry1 F.ar Wx1", cpp: false, arm: false),
    Litmus("LB, one sc fence", "Rx1 F.sc Wy1 ‖ Ry1 Wx1", cpp: true, arm: true),
    Litmus("LB, release and acquire", "Rx1.acq Wy1 ‖ Ry1 Wx1.rel", cpp: false, arm: false),
    Litmus("S", "Wx2 Wy1 ‖ Ry1 Wx1 : x2", cpp: true, arm: true),
    Litmus("S, release and acquire", "Wx2 Wy1.rel ‖ Ry1.acq Wx1 : x2", cpp: false, arm: false),
    Litmus(
      "S, release only", "Wx2 Wy1.rel ‖ Ry1 Wx1 : x2", cpp: true, arm: true),
    Litmus("R", "Wx1 Wy1 ‖ Wy2 Rx0 : y2", cpp: true, arm: true),
    Litmus("R, sc fences", "Wx1 F.sc Wy1 ‖ Wy2 F.sc Rx0 : y2", cpp: false, arm: false),
    Litmus("R, sc", "Wx1.sc Wy1.sc ‖ Wy2.sc Rx0.sc : y2", cpp: false, arm: false),
    Litmus("2+2W", "Wx2 Wy1 ‖ Wy2 Wx1 : x2 y2", cpp: true, arm: true),
    Litmus(
      "2+2W, releases", "Wx2 Wy1.rel ‖ Wy2 Wx1.rel : x2 y2", cpp: true, arm: false,
      missing: "a store that passes a later release"),
    Litmus("2+2W, sc fences", "Wx2 F.sc Wy1 ‖ Wy2 F.sc Wx1 : x2 y2", cpp: false, arm: false),
    Litmus("2+2W, sc", "Wx2.sc Wy1.sc ‖ Wy2.sc Wx1.sc : x2 y2", cpp: false, arm: false),
    Litmus("WRC", "Wx1 ‖ Rx1 Wy1 ‖ Ry1 Rx0", cpp: true, arm: true),
    Litmus("WRC, release and acquire", "Wx1 ‖ Rx1 Wy1.rel ‖ Ry1.acq Rx0", cpp: false, arm: false),
    Litmus("WRC, acquires", "Wx1 ‖ Rx1.acq Wy1 ‖ Ry1.acq Rx0", cpp: true, arm: false),
    Litmus("ISA2", "Wx1 Wy1.rel ‖ Ry1.acq Wz1.rel ‖ Rz1.acq Rx0", cpp: false, arm: false),
    Litmus(
      "ISA2, relaxed load", "Wx1 Wy1.rel ‖ Ry1 Wz1.rel ‖ Rz1.acq Rx0", cpp: true, arm: false),
    Litmus("RWC", "Wx1 ‖ Rx1 Ry0 ‖ Wy1 Rx0", cpp: true, arm: true),
    Litmus("RWC, sc fences", "Wx1 ‖ Rx1 F.sc Ry0 ‖ Wy1 F.sc Rx0", cpp: false, arm: false),
    Litmus(
      "W+RWC, sc fence", "Wx1 Wy1.rel ‖ Ry1.acq Rz0 ‖ Wz1 F.sc Rx0", cpp: true, arm: false),
    Litmus("IRIW", "Wx1 ‖ Wy1 ‖ Rx1 Ry0 ‖ Ry1 Rx0", cpp: true, arm: true),
    Litmus(
      "IRIW, release and acquire", "Wx1.rel ‖ Wy1.rel ‖ Rx1.acq Ry0.acq ‖ Ry1.acq Rx0.acq",
      cpp: true, arm: false),
    Litmus(
      "IRIW, sc", "Wx1.sc ‖ Wy1.sc ‖ Rx1.sc Ry0.sc ‖ Ry1.sc Rx0.sc", cpp: false, arm: false),
    Litmus("IRIW, sc loads", "Wx1 ‖ Wy1 ‖ Rx1.sc Ry0.sc ‖ Ry1.sc Rx0.sc", cpp: false, arm: false),
    Litmus(
      "IRIW, sc fences", "Wx1 ‖ Wy1 ‖ Rx1 F.sc Ry0 ‖ Ry1 F.sc Rx0", cpp: false, arm: false),
    Litmus("CoRR", "Wx1 ‖ Rx1 Rx0", cpp: false, arm: false),
    Litmus("CoRR, two readers", "Wx1 ‖ Wx2 ‖ Rx1 Rx2 ‖ Rx2 Rx1", cpp: false, arm: false),
    Litmus("CoWR", "Wx1 Rx2 ‖ Wx2 : x1", cpp: false, arm: false),
    Litmus("CoRW", "Wx1 ‖ Rx1 Wx2 : x1", cpp: false, arm: false),
    Litmus("CoWW", "Wx1 Wx2 ‖ Wy1 : x1", cpp: false, arm: false),
    Litmus("two updates", "Ax0 ‖ Ax0", cpp: false, arm: false),
  ]

  @Suite struct LitmusTableTests {
    /// The verdicts in the table agree with the axioms, too.
    @Test func `the axioms give the verdicts of C++`() {
      for test in litmusTests {
        let program = LitmusProgram(test.program)
        let isAllowed = AxiomaticModel(program).outcomes().contains(where: program.hasOutcome)
        #expect(isAllowed == test.isAllowedByCpp, "\(test.name)")
      }
    }

    @Test func `no model shows what C++ forbids, and the weakest what it allows`() throws {
      var table = [
        "| test | program and outcome | C++ | Armv8 | sc | sb | rl | not shown, because it needs |",
        "|---|---|---|---|---|---|---|---|",
      ]
      for test in litmusTests {
        let program = LitmusProgram(test.program)
        let shown = MemoryModel.allCases.map { program.hasOutcome(in: $0) }
        #expect(!shown[0], "\(test.name) is sequentially consistent")
        if shown.contains(true) { #expect(test.isAllowedByCpp, "\(test.name) is shown") }
        let isWeakest = shown[2] || !shown[1]
        #expect(isWeakest, "\(test.name): store buffers show more than reordered loads")
        if test.isAllowedByCpp {
          #expect(shown[2] == (test.missing == nil), "\(test.name)")
        }
        let verdicts = [test.isAllowedByCpp, test.isAllowedByArm].map { $0 ? "allowed" : "no" }
        let marks = shown.map { $0 ? "shown" : "" }
        table.append(
          "| \(test.name) | `\(test.program)` | \((verdicts + marks).joined(separator: " | ")) "
            + "| \(test.missing ?? "") |")
      }
      try CorpusDocument.check("litmus", table)
    }
  }
#endif
