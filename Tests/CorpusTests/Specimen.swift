#if Interleaving
  import Interleaving
  import StressTesting

  /// One defect of a structure, and a small test that can show it.
  struct Specimen: Sendable, CustomStringConvertible {
    /// How the defect shows.
    enum Effect: Sendable {
      /// No order of the calls explains their answers.
      case wrongAnswer
      /// All threads wait.
      case deadlock
    }

    /// Random scenarios of the public function `stress`, on the defective structure or on its twin.
    typealias Stress =
      @Sendable (_ isDefective: Bool, StressOptions) async -> Result<StressSummary, StressFailure>

    var structure: String
    var paper: String
    var defect: String
    var effect: Effect
    var memory: MemoryModel
    var explore: @Sendable (_ isDefective: Bool, Exploration) -> Outcome
    var stress: Stress

    var description: String { "\(structure): \(defect)" }

    /// Whether a failure is the effect of the defect.
    func explains(_ failure: Failure?) -> Bool {
      switch (effect, failure) {
      // A list that became a cycle has no answer at all.
      case (.wrongAnswer, .assertion), (.wrongAnswer, .stepsWithoutEnd), (.deadlock, .deadlock):
        true
      default: false
      }
    }

    /// Creates a specimen.
    ///
    /// - Parameters:
    ///   - structure: The name of the structure.
    ///   - paper: The publication that describes it, in a few words.
    ///   - defect: The defect.
    ///   - effect: How the defect shows.
    ///   - memory: The memory model in which it shows.
    ///   - program: The test.
    ///   - drawn: The calls from which `stress` draws.
    init<C: Call>(
      _ structure: String, paper: String, defect: C.Subject.Defect, effect: Effect = .wrongAnswer,
      memory: MemoryModel = .sequentiallyConsistent, _ program: CallProgram<C>, drawing drawn: [C]
    ) {
      self.structure = structure
      self.paper = paper
      self.defect = defect.rawValue
      self.effect = effect
      self.memory = memory
      explore = { isDefective, plan in
        plan.run(Self.scenario(program, defect: isDefective ? defect : nil))
      }
      let owners = drawn.filter(\.isOwners)
      let others = drawn.filter { !$0.isOwners }
      stress = { isDefective, options in
        do throws(StressFailure) {
          return .success(
            try await StressTesting.stress(
              makeSubject: { C.Subject(defect: isDefective ? defect : nil) }, model: program.model,
              options: options
            ) {
              StressOperation("call", others) {
                $1.perform(on: $0)
              } model: {
                $1.apply(to: &$0)
              }
              if !owners.isEmpty {
                StressOperation("owner's call", owners) {
                  $1.perform(on: $0)
                } model: {
                  $1.apply(to: &$0)
                }
                .reserved(for: "owner")
              }
            })
        } catch {
          return .failure(error)
        }
      }
    }

    // @unchecked: virtual threads take turns, and each one appends to its own answers.
    private final class Record<C: Call>: @unchecked Sendable {
      var answers: Answers<C>
      init(threads: Int) { answers = Answers(threads: Array(repeating: [], count: threads)) }
    }

    private static func scenario<C: Call>(
      _ program: CallProgram<C>, defect: C.Subject.Defect?
    ) -> (Execution) -> Void {
      // Most executions have answers that an earlier one had.
      var explained: Set<Answers<C>> = []
      return { execution in
        let subject = C.Subject(defect: defect)
        let record = Record<C>(threads: program.threads.count)
        record.answers.before = program.before.map { $0.perform(on: subject) }
        for (number, calls) in program.threads.enumerated() {
          execution.thread {
            for call in calls { record.answers.threads[number].append(call.perform(on: subject)) }
          }
        }
        execution.runThreads()
        record.answers.after = program.after.map { $0.perform(on: subject) }
        if explained.contains(record.answers) { return }
        execution.require(
          program.isExplained(record.answers), "no order of the calls explains \(record.answers)")
        explained.insert(record.answers)
      }
    }
  }
#endif
