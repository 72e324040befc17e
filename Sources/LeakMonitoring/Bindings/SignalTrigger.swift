import CShims
import Dispatch
import RuntimeInspection

/// A subscription to a signal: it runs an action each time the process receives the signal, until
/// the trigger is cancelled or released.
///
/// The action runs on a Dispatch thread, not in a signal handler, so it may do anything. Several
/// signals in quick succession may run it only once. From the first trigger on, the signal no
/// longer ends the process, not even after the trigger is released.
public final class SignalTrigger {
  private let source: any DispatchSourceSignal

  /// Creates a trigger.
  ///
  /// Returns once Dispatch observes the signal, so that the trigger misses no signal sent
  /// afterwards.
  ///
  /// - Parameters:
  ///   - signal: A signal that the program uses for nothing else, such as `SIGUSR1`. It may have
  ///     several triggers.
  ///   - action: Runs on a Dispatch thread after the signal.
  /// - Precondition: A process can catch `signal`, unlike `SIGKILL` and `SIGSTOP`.
  public init(_ signal: Int32, _ action: @escaping @Sendable () -> Void) {
    guard cws_can_catch_signal(signal) else {
      fatalError("a process cannot catch signal \(signal); use another one, such as SIGUSR1")
    }
    #if canImport(Darwin)
      // On Darwin, Dispatch only observes signals, so the signal would still end the program. On
      // other platforms Dispatch installs a handler, once for each signal and process, which keeps
      // the signal from ending the program. Ignoring the signal there would replace that handler.
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

  /// Stops the trigger; an action that is already running completes.
  public func cancel() { source.cancel() }
}

// @unchecked: the trigger only cancels the source, which threads may do concurrently.
extension SignalTrigger: @unchecked Sendable {}

extension BindingAnalyzer {
  /// Outputs a report each time the process receives `signal`; meant for servers, which have no
  /// user interface.
  ///
  /// ```swift
  /// let trigger = BindingAnalyzer.shared.reportOnSignal(SIGUSR1) { report in
  ///   try? report.append(toFile: "bindings.jsonl")
  /// }
  /// ```
  ///
  /// Then `kill -USR1 PID` appends a line, and `leakwatch bindings bindings.jsonl` shows it. This
  /// package offers no HTTP endpoint: a server can serve `report.text` itself.
  ///
  /// - Parameters:
  ///   - signal: A signal that the program uses for nothing else, such as `SIGUSR1`.
  ///   - output: Receives each report on a Dispatch thread; writes its text to standard error by
  ///     default.
  /// - Returns: The trigger. Keep it: it stops when it is deallocated.
  public func reportOnSignal(
    _ signal: Int32,
    to output: @escaping @Sendable (BindingReport) -> Void = { $0.printToStandardError() }
  ) -> SignalTrigger {
    SignalTrigger(signal) { output(self.report) }
  }
}

extension BindingReport {
  /// Writes `text` to standard error, or "no bindings" if the report is empty.
  public func printToStandardError() {
    cws_print_error(counts.isEmpty ? "no bindings" : text)
  }
}

extension HeapSnapshot {
  /// Counts the live objects of this process each time it receives `signal`; meant for containers
  /// in which no other process may read this one.
  ///
  /// ```swift
  /// let trigger = HeapSnapshot.takeOnSignal(SIGUSR2) { snapshot in
  ///   try? snapshot.get().append(toFile: "heap.jsonl")
  /// }
  /// ```
  ///
  /// Then `kill -USR2 PID` appends a line, and `leakwatch heap --diff heap.jsonl` shows what grew
  /// between the first and the last one.
  ///
  /// - Parameters:
  ///   - signal: A signal that the program uses for nothing else, such as `SIGUSR2`.
  ///   - output: Receives each snapshot, or the reason why there is none, on a Dispatch thread.
  /// - Returns: The trigger. Keep it: it stops when it is deallocated.
  public static func takeOnSignal(
    _ signal: Int32, to output: @escaping @Sendable (Result<HeapSnapshot, HeapUnavailable>) -> Void
  ) -> SignalTrigger {
    SignalTrigger(signal) {
      output(Result { () throws(HeapUnavailable) in try HeapSnapshot.take() })
    }
  }
}
