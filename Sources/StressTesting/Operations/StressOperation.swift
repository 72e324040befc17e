/// An operation of a subject under test, and of its model.
public struct StressOperation<Subject: Sendable, Model>: Sendable {
  let name: String
  /// The texts of the arguments; empty for an operation without an argument.
  let arguments: [String]
  let body: CallBody<Subject>
  /// Applies a call to the model; `nil` if the subject itself is the model.
  let model: (@Sendable (inout Model, Int) -> CallResult)?
  /// The role of the only thread that calls the operation; `nil` if every thread may.
  var role: String?

  /// Returns the operation for one thread of each scenario, the same for all operations of a role.
  ///
  /// For types with an owner, or with a single producer:
  ///
  /// ```swift
  /// StressOperation("push", 1...2) {
  ///   $0.push($1)
  /// } model: {
  ///   $0.append($1)
  /// }
  /// .reserved(for: "owner")
  /// ```
  ///
  /// The calls before the threads start and after they have ended are not restricted.
  ///
  /// - Parameter role: The name of the role.
  public func reserved(for role: String) -> StressOperation {
    var copy = self
    copy.role = role
    return copy
  }
}

/// The work of an operation; its arguments are the subject and the index of the call's argument.
enum CallBody<Subject: Sendable>: Sendable {
  case synchronous(@Sendable (Subject, Int) -> CallResult)
  case suspending(@Sendable (Subject, Int) async -> CallResult)
}

extension StressOperation {
  /// Creates an operation with an argument, and the same operation of the model.
  ///
  /// ```swift
  /// StressOperation("enqueue", 1...4) { $0.enqueue($1) } model: { $0.enqueue($1) }
  /// ```
  ///
  /// Errors are results too: if the subject throws, the model must throw an equal one.
  ///
  /// Traps if `arguments` is empty, or if the result is neither `Hashable` nor `Void`.
  ///
  /// - Parameters:
  ///   - name: The name in reports.
  ///   - arguments: The arguments to draw from.
  ///   - perform: Performs the operation. It must return, whatever other threads do.
  ///   - model: Performs the operation on the model, and returns what one thread would get.
  public init<Argument: Sendable, Result>(
    _ name: String, _ arguments: some Collection<Argument>,
    _ perform: @escaping @Sendable (Subject, Argument) throws -> Result,
    model: @escaping @Sendable (inout Model, Argument) throws -> Result
  ) {
    let values = ArgumentList(arguments, of: name)
    CallResult.check(Result.self, of: name)
    self.init(
      name: name, arguments: values.texts,
      body: .synchronous { subject, index in CallResult { try perform(subject, values[index]) } },
      model: { state, index in CallResult { try model(&state, values[index]) } })
  }

  /// Creates an operation that may suspend, with an argument, and the same operation of the model.
  ///
  /// Such an operation runs in tasks, on real threads and under a controlled executor. Otherwise
  /// this is as the initializer for operations that do not suspend.
  @_disfavoredOverload
  public init<Argument: Sendable, Result>(
    _ name: String, _ arguments: some Collection<Argument>,
    _ perform: @escaping @Sendable (Subject, Argument) async throws -> Result,
    model: @escaping @Sendable (inout Model, Argument) throws -> Result
  ) {
    let values = ArgumentList(arguments, of: name)
    CallResult.check(Result.self, of: name)
    self.init(
      name: name, arguments: values.texts,
      body: .suspending { subject, index in
        await CallResult { try await perform(subject, values[index]) }
      },
      model: { state, index in CallResult { try model(&state, values[index]) } })
  }

  /// Creates an operation without an argument, and the same operation of the model.
  ///
  /// ```swift
  /// StressOperation("dequeue") { $0.dequeue() } model: { $0.dequeue() }
  /// ```
  ///
  /// Traps if the result is neither `Hashable` nor `Void`.
  ///
  /// - Parameters:
  ///   - name: The name in reports.
  ///   - perform: Performs the operation. It must return, whatever other threads do.
  ///   - model: Performs the operation on the model, and returns what one thread would get.
  public init<Result>(
    _ name: String, _ perform: @escaping @Sendable (Subject) throws -> Result,
    model: @escaping @Sendable (inout Model) throws -> Result
  ) {
    CallResult.check(Result.self, of: name)
    self.init(
      name: name, arguments: [],
      body: .synchronous { subject, _ in CallResult { try perform(subject) } },
      model: { state, _ in CallResult { try model(&state) } })
  }

  /// Creates an operation that may suspend, without an argument, and the same operation of the
  /// model.
  ///
  /// Such an operation runs in tasks, on real threads and under a controlled executor. Otherwise
  /// this is as the initializer for operations that do not suspend.
  @_disfavoredOverload
  public init<Result>(
    _ name: String, _ perform: @escaping @Sendable (Subject) async throws -> Result,
    model: @escaping @Sendable (inout Model) throws -> Result
  ) {
    CallResult.check(Result.self, of: name)
    self.init(
      name: name, arguments: [],
      body: .suspending { subject, _ in await CallResult { try await perform(subject) } },
      model: { state, _ in CallResult { try model(&state) } })
  }
}

// The subject is its own model: whatever it returns to a single thread is right.
extension StressOperation where Model == Void {
  /// Creates an operation with an argument of a subject that is its own model.
  ///
  /// Traps if `arguments` is empty, or if the result is neither `Hashable` nor `Void`.
  ///
  /// - Parameters:
  ///   - name: The name in reports.
  ///   - arguments: The arguments to draw from.
  ///   - perform: Performs the operation. It must return, whatever other threads do.
  public init<Argument: Sendable, Result>(
    _ name: String, _ arguments: some Collection<Argument>,
    _ perform: @escaping @Sendable (Subject, Argument) throws -> Result
  ) {
    let values = ArgumentList(arguments, of: name)
    CallResult.check(Result.self, of: name)
    self.init(
      name: name, arguments: values.texts,
      body: .synchronous { subject, index in CallResult { try perform(subject, values[index]) } },
      model: nil)
  }

  /// Creates an operation without an argument of a subject that is its own model.
  ///
  /// Traps if the result is neither `Hashable` nor `Void`.
  ///
  /// - Parameters:
  ///   - name: The name in reports.
  ///   - perform: Performs the operation. It must return, whatever other threads do.
  public init<Result>(
    _ name: String, _ perform: @escaping @Sendable (Subject) throws -> Result
  ) {
    CallResult.check(Result.self, of: name)
    self.init(
      name: name, arguments: [],
      body: .synchronous { subject, _ in CallResult { try perform(subject) } }, model: nil)
  }
}

/// Collects the operations of a test.
@resultBuilder
public enum OperationBuilder<Subject: Sendable, Model> {
  /// The type of the operations.
  public typealias Operations = [StressOperation<Subject, Model>]

  /// Returns a list of one operation.
  public static func buildExpression(_ operation: StressOperation<Subject, Model>) -> Operations {
    [operation]
  }

  /// Returns all operations of a block.
  public static func buildBlock(_ parts: Operations...) -> Operations { parts.flatMap { $0 } }

  /// Returns the operations of an `if` without an `else`.
  public static func buildOptional(_ part: Operations?) -> Operations { part ?? [] }

  /// Returns the operations of the first branch.
  public static func buildEither(first part: Operations) -> Operations { part }

  /// Returns the operations of the second branch.
  public static func buildEither(second part: Operations) -> Operations { part }

  /// Returns the operations of all iterations of a loop.
  public static func buildArray(_ parts: [Operations]) -> Operations { parts.flatMap { $0 } }
}

/// The arguments that an operation is called with.
private struct ArgumentList<Argument: Sendable>: Sendable {
  private let values: [Argument]

  init(_ arguments: some Collection<Argument>, of name: String) {
    guard !arguments.isEmpty else {
      fatalError("operation '\(name)' has no argument to draw from; give it at least one")
    }
    values = Array(arguments)
  }

  var texts: [String] { values.map { CallResult.text(of: $0) } }

  subscript(index: Int) -> Argument { values[index] }
}

/// What a call returned or threw, as a value that can be compared.
// @unchecked: the recorder only compares and prints the value.
struct CallResult: Hashable, @unchecked Sendable {
  private enum Kind: Hashable {
    case nothing
    case value(AnyHashable)
    /// The error's text: errors are rarely `Hashable`.
    case error(String)
  }

  private let kind: Kind

  /// Runs `body` and keeps its outcome.
  init<Result>(_ body: () throws -> Result) {
    do {
      kind = Self.kind(try body())
    } catch {
      kind = .error(String(reflecting: error))
    }
  }

  /// Runs a body that may suspend, and keeps its outcome.
  init<Result>(_ body: () async throws -> Result) async {
    do {
      kind = Self.kind(try await body())
    } catch {
      kind = .error(String(reflecting: error))
    }
  }

  private static func kind<Result>(_ result: Result) -> Kind {
    if Result.self == Void.self { return .nothing }
    let value = result as! any Hashable
    return .value(AnyHashable(value))
  }

  /// Traps if results of a type cannot be compared.
  static func check<Result>(_: Result.Type, of name: String) {
    guard Result.self == Void.self || Result.self is any Hashable.Type else {
      fatalError("the result of operation '\(name)' must be Hashable or Void, got \(Result.self)")
    }
  }

  /// The result in a report; empty without a result.
  var text: String {
    switch kind {
    case .nothing: ""
    case .value(let value): Self.text(of: value.base)
    case .error(let text): "throws \(text)"
    }
  }

  /// The result behind the name of who has it: `returns 3`, `throws …`.
  var sentence: String {
    switch kind {
    case .nothing: "returns"
    case .value: "returns \(text)"
    case .error: text
    }
  }

  /// Returns a value in a report: an optional as its value or `nil`, a text with quotes.
  static func text(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      return mirror.children.first.map { text(of: $0.value) } ?? "nil"
    }
    return value is String ? String(reflecting: value) : String(describing: value)
  }
}
