import CShims
import Dispatch

/// Runs an action each time the process receives a signal, until the trigger is cancelled or
/// released.
///
/// The action runs on a Dispatch thread, not in a signal handler, so it may do anything. Signals in
/// quick succession may run it once. The signal does not end the process, not even after the
/// trigger is gone.
public final class SignalTrigger {
  private let source: any DispatchSourceSignal

  /// Creates a trigger; returns when Dispatch is ready, so that no later signal is missed.
  ///
  /// - Parameters:
  ///   - signal: A signal that the program uses for nothing else, such as `SIGUSR1`. It may have
  ///     several triggers. Traps if the signal cannot be caught.
  ///   - action: Runs on a Dispatch thread after the signal.
  public init(_ signal: Int32, _ action: @escaping @Sendable () -> Void) {
    precondition(cws_can_catch_signal(signal), "expected a signal that can be caught")
    #if canImport(Darwin)
      // Dispatch only observes signals here. Elsewhere it installs a handler, once for each signal
      // and process, which keeps the signal from ending the program and must not be replaced.
      cws_ignore_signal(signal)
    #endif
    source = DispatchSource.makeSignalSource(signal: signal, queue: .global(qos: .utility))
    source.setEventHandler(handler: DispatchWorkItem(block: action))
    let registered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler(handler: DispatchWorkItem { registered.signal() })
    source.activate()
    registered.wait()
  }

  deinit { cancel() }

  /// Stops the trigger; an action that is running completes.
  public func cancel() { source.cancel() }
}

// @unchecked: the only operation on the source is to cancel it, which threads may do concurrently.
extension SignalTrigger: @unchecked Sendable {}

extension BindingAnalyzer {
  /// Outputs a report each time the process receives `signal`: for servers, which have no user
  /// interface.
  ///
  /// ```swift
  /// let trigger = BindingAnalyzer.shared.reportOnSignal(SIGUSR1) { report in
  ///   try? report.append(toFile: "bindings.jsonl")
  /// }
  /// ```
  ///
  /// Then `kill -USR1 PID` appends a line, which `leakwatch bindings bindings.jsonl` shows. There
  /// is no HTTP endpoint: a server can respond with `report.text` itself.
  ///
  /// - Parameters:
  ///   - signal: A signal that the program uses for nothing else, such as `SIGUSR1`.
  ///   - output: Receives each report on a Dispatch thread; writes its text to standard error by
  ///     default.
  /// - Returns: The trigger, which stops when it is released.
  public func reportOnSignal(
    _ signal: Int32,
    to output: @escaping @Sendable (BindingReport) -> Void = { $0.printToStandardError() }
  ) -> SignalTrigger {
    SignalTrigger(signal) { output(self.report) }
  }
}

extension BindingReport {
  /// Writes `text` to standard error, or "no bindings".
  public func printToStandardError() {
    cws_print_error(counts.isEmpty ? "no bindings" : text)
  }
}
