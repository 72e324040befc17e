import CShims
import Dispatch

/// Runs an action each time that the process gets a signal, until it is cancelled or released.
///
/// The action runs on a thread of Dispatch, not in a signal handler: it may do what it likes. Signals that come close
/// together may run it once. The process does not end by the signal, not even when this is over.
public final class SignalTrigger {
  private let source: any DispatchSourceSignal

  /// Waits for Dispatch, so that a signal that comes after it is not missed.
  ///
  /// The signal, such as `SIGUSR1`, is used by nothing but triggers, of which it may have several; traps if it cannot
  /// be caught.
  public init(_ signal: Int32, _ action: @escaping @Sendable () -> Void) {
    precondition(cws_can_catch_signal(signal), "expected a signal that can be caught")
    #if canImport(Darwin)
      // Dispatch only looks on there. Elsewhere it puts in a handler of its own, once for each signal and process,
      // which keeps it from ending the program and must not be replaced.
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

  /// Runs the action no more; one that runs goes on.
  public func cancel() { source.cancel() }
}

// @unchecked: threads may cancel one source at once, and nothing else is done with it.
extension SignalTrigger: @unchecked Sendable {}

extension BindingAnalyzer {
  /// Gives a report each time that the process gets `signal`: for a server, which has no button.
  ///
  /// ```swift
  /// let trigger = BindingAnalyzer.shared.reportOnSignal(SIGUSR1) { report in
  ///   try? report.append(toFile: "bindings.jsonl")
  /// }
  /// ```
  ///
  /// Then `kill -USR1 PID` has a line appended, which `leakwatch bindings bindings.jsonl` shows. There is no endpoint of
  /// HTTP: a server that speaks it answers with `report.text` itself. `output` is called on a thread of its own, and
  /// writes the text to standard error by default.
  ///
  /// - Returns: what ends that when it is released.
  public func reportOnSignal(
    _ signal: Int32,
    to output: @escaping @Sendable (BindingReport) -> Void = { $0.printToStandardError() }
  ) -> SignalTrigger {
    SignalTrigger(signal) { output(self.report) }
  }
}

extension BindingReport {
  /// Writes the text to standard error, or that there is nothing to tell.
  public func printToStandardError() {
    cws_print_error(counts.isEmpty ? "no bindings" : text)
  }
}
