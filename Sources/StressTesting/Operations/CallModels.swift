import Interleaving
import Linearizability
import Threading

/// A model that has one result for each call.
protocol CallModel: DeterministicModel where Input == PlannedCall, Output == CallResult {
  /// Applies a call, and returns its result.
  func result(of call: PlannedCall, on state: inout State) -> CallResult
}

extension CallModel {
  func partition(of call: PlannedCall) -> Int { 0 }

  func apply(_ call: PlannedCall, to state: inout State, returning output: CallResult?) -> Bool {
    let result = result(of: call, on: &state)
    return output == nil || output == result
  }
}

/// A model of a subject: a value to which the same calls are applied.
struct ValueModel<Subject: Sendable, Model: Hashable & Sendable>: CallModel {
  let initialState: Model
  private let operations: [StressOperation<Subject, Model>]

  init(_ initialState: Model, _ operations: [StressOperation<Subject, Model>]) {
    self.initialState = initialState
    self.operations = operations
  }

  func result(of call: PlannedCall, on state: inout Model) -> CallResult {
    // The builder pairs this type with operations that have a model.
    operations[call.operation].model!(&state, call.argument)
  }

  /// Returns the reason why the model is no value; `nil` if there is none.
  ///
  /// A class is none. Neither is a type whose copies share state: calls on a copy then change what
  /// the original returns.
  ///
  /// - Parameter sequences: Calls to apply.
  func defect(applying sequences: [[PlannedCall]], names: CallNames) -> String? {
    if Model.self is AnyClass {
      return "the model is a class, \(Model.self); it must be a value, whose copies share no state"
    }
    for calls in sequences {
      var copy = initialState
      let first = calls.map { result(of: $0, on: &copy) }
      // If copies share state, this copy begins where the first one ended.
      var again = initialState
      for (call, earlier) in zip(calls, first) {
        let later = result(of: call, on: &again)
        if later == earlier { continue }
        return """
          the model \(Model.self) is not a value: applied to two copies, the same calls returned \
          \(names.text(of: call)) → \(earlier.text) and then → \(later.text)
          """
      }
    }
    return nil
  }
}

/// A model of a subject by the subject itself: the state is the sequence of calls, and a call
/// returns what it returns to a single thread after them.
final class ReplayModel<Subject: Sendable>: CallModel, Sendable {
  private let makeSubject: @Sendable () -> Subject
  private let operations: [CallBody<Subject>]
  /// The results of the last calls of sequences.
  private let known = Monitor<[[PlannedCall]: CallResult]>([:])

  init(_ makeSubject: @escaping @Sendable () -> Subject, _ operations: [CallBody<Subject>]) {
    self.makeSubject = makeSubject
    self.operations = operations
  }

  var initialState: [PlannedCall] { [] }

  // Does not run the subject for a call without a result, which may be one that does not return.
  func apply(
    _ call: PlannedCall, to state: inout [PlannedCall], returning output: CallResult?
  ) -> Bool {
    guard let output else {
      state.append(call)
      return true
    }
    return output == result(of: call, on: &state)
  }

  func result(of call: PlannedCall, on calls: inout [PlannedCall]) -> CallResult {
    calls.append(call)
    if let result = known.read({ $0[calls] }) { return result }
    let subject = makeSubject()
    var result: CallResult?
    for call in calls {
      guard case .synchronous(let body) = operations[call.operation] else {
        fatalError("a suspending operation has no model; give it one")
      }
      result = body(subject, call.argument)
    }
    known.change { $0[calls] = result }
    return result!
  }
}

/// Checks recordings against a model.
struct CallCheck<Model: CallModel>: Sendable {
  let model: Model
  let checker: Checker<Model>
  let describe: @Sendable (Model.State) -> String

  init(_ model: Model, describing describe: @escaping @Sendable (Model.State) -> String) {
    self.model = model
    // A history of a scenario is checked within milliseconds, unless the machine is busy.
    checker = Checker(model, timeLimit: .seconds(60))
    self.describe = describe
  }

  func verdict(on recording: CallRecording) -> ExecutionVerdict<CallRecording> {
    #if Interleaving
      Execution.withoutScheduler { uncontrolledVerdict(on: recording) }
    #else
      uncontrolledVerdict(on: recording)
    #endif
  }

  private func uncontrolledVerdict(
    on recording: CallRecording
  ) -> ExecutionVerdict<CallRecording> {
    recording.history.verdict(
      by: checker, on: recording, naming: { _ in "the subject" }, describing: describe,
      expecting: { state, call in
        guard let output = call.output else { return nil }
        var state = state
        let expected = model.result(of: call.input, on: &state)
        return expected == output ? nil : "the model \(expected.sentence)"
      })
  }
}
