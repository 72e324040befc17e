#if Interleaving
  /// A concurrent structure of the corpus.
  protocol Structure: Sendable {
    /// The known defects. The text says what is wrong.
    associatedtype Defect: Equatable, Sendable, RawRepresentable<String>

    /// Creates the structure.
    ///
    /// - Parameter defect: The only difference from the correct twin; nil creates that twin.
    init(defect: Defect?)
  }

  /// A call of a structure, and of the value that defines what the call returns.
  protocol Call: Hashable, Sendable {
    associatedtype Subject: Structure
    associatedtype Model: Hashable & Sendable
    associatedtype Answer: Hashable & Sendable

    /// Whether only one thread may make such calls.
    var isOwners: Bool { get }

    func perform(on subject: Subject) -> Answer

    /// Applies the call to the model and returns what a single thread gets.
    func apply(to model: inout Model) -> Answer

    /// Applies a call that returned `answer` to the model, and returns whether it may return that.
    func explains(_ answer: Answer, on model: inout Model) -> Bool
  }

  extension Call {
    var isOwners: Bool { false }

    func explains(_ answer: Answer, on model: inout Model) -> Bool {
      apply(to: &model) == answer
    }
  }

  /// The calls of one small test.
  struct CallProgram<C: Call>: Sendable {
    /// The state of the model that belongs to a new structure.
    var model: C.Model
    var before: [C] = []
    var threads: [[C]]
    var after: [C] = []

    /// Whether some order of the calls explains their answers.
    ///
    /// It must keep the order of each thread's calls: sequential consistency (Lamport, 1979), which
    /// linearizability implies. It needs no time stamps. A stamp would make all calls depend on
    /// each other, and partial-order reduction would reduce nothing.
    func isExplained(_ answers: Answers<C>) -> Bool {
      var model = model
      for (call, answer) in zip(before, answers.before) {
        guard call.explains(answer, on: &model) else { return false }
      }
      return isExplained(answers, from: model, threads.map { _ in 0 })
    }

    private func isExplained(_ answers: Answers<C>, from model: C.Model, _ done: [Int]) -> Bool {
      var isAtEnd = true
      for thread in threads.indices where done[thread] < threads[thread].count {
        isAtEnd = false
        let index = done[thread]
        var (next, rest) = (model, done)
        rest[thread] += 1
        if threads[thread][index].explains(answers.threads[thread][index], on: &next),
          isExplained(answers, from: next, rest)
        {
          return true
        }
      }
      var last = model
      return isAtEnd
        && zip(after, answers.after).allSatisfy { call, answer in
          call.explains(answer, on: &last)
        }
    }
  }

  /// What the calls of a program returned in one execution.
  struct Answers<C: Call>: Hashable {
    var before: [C.Answer] = []
    var threads: [[C.Answer]]
    var after: [C.Answer] = []
  }
#endif
