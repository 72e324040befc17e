import Choosing
import WeakCollections

/// A registry of the bindings of view models to controllers; its report shows which bindings were
/// never released.
///
/// Register each binding and each unbinding, then print the report:
///
/// ```swift
/// func viewDidLoad() { BindingAnalyzer.shared.registerBinding(model, to: self) }
/// deinit { BindingAnalyzer.shared.registerUnbinding(model, from: self) }
/// …
/// print(BindingAnalyzer.shared.report.text)
/// ```
///
/// A binding is a pair of objects, compared by identity. So binding one pair twice does not hide
/// that another pair was never unbound. The analyzer holds all objects weakly; threads may use it
/// concurrently. It stores nothing while `MemoryLeakMonitor.isEnabled` is false.
public final class BindingAnalyzer: Sendable {
  /// The analyzer of the whole program, with the backend of `MemoryLeakMonitor.shared`.
  public static let shared = BindingAnalyzer(MemoryLeakMonitor.recommendationForShared())

  /// The backend that holds the bindings.
  public let backend: Backend

  // A key has several pairs if the objects at its addresses were deallocated and other objects
  // reuse the addresses.
  let pairs: any SynchronousDictionary<BindingPair.Key, [BindingPair]> & Sendable
  let longLived: any SynchronousDictionary<ObjectIdentifier, LongLivedModel> & Sendable
  let history = MutexLock(BindingHistory())
  private let reporter: (any LeakReporter)?

  /// Creates an analyzer without bindings, in the backend that a new monitor would choose.
  ///
  /// - Parameter reporter: Receives the unbinding of a long-lived view model immediately; nil for
  ///   the reporter of the monitor that is current at the unbinding.
  public convenience init(reporter: (any LeakReporter)? = nil) {
    self.init(MemoryLeakMonitor.recommendationBySetting(), reporter: reporter)
  }

  private convenience init(
    _ recommendation: Recommendation, reporter: (any LeakReporter)? = nil
  ) {
    self.init(backend: recommendation.backend, reporter: reporter)
  }

  /// Creates an analyzer without bindings, in a backend.
  ///
  /// - Parameters:
  ///   - backend: The backend that holds the bindings.
  ///   - reporter: Receives the unbinding of a long-lived view model immediately; nil for the
  ///     reporter of the monitor that is current at the unbinding.
  /// - Precondition: `backend` is not `.actor`, because a `deinit` cannot wait for an actor.
  public init(backend: Backend, reporter: (any LeakReporter)? = nil) {
    self.backend = backend
    self.reporter = reporter
    pairs = backend.makeSynchronousDictionary()
    longLived = backend.makeSynchronousDictionary()
  }

  /// Records that `viewModel` was bound, to `controller` if there is one.
  ///
  /// If the pair is already bound, its record becomes `BindingRecord.isDoublyBound`.
  ///
  /// - Parameters:
  ///   - viewModel: The object that was bound. The analyzer does not keep it alive.
  ///   - controller: The object that `viewModel` was bound to. The analyzer does not keep it alive.
  ///   - name: Distinguishes view models of one class in reports. Use few names: a report has a
  ///     line for each.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Complexity: O(1) amortized.
  public func registerBinding(
    _ viewModel: AnyObject, to controller: AnyObject? = nil, named name: String? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    guard MemoryLeakMonitor.isEnabled else { return }
    forgetLongLivedPredecessor(of: viewModel)
    let pair = BindingPair(
      viewModel, controller, name: name,
      site: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    pairs.update(BindingPair.Key(viewModel, controller)) { pairs in
      if let index = pairs?.firstIndex(where: { $0.refers(to: viewModel, controller) }) {
        pairs![index].bind()
      } else {
        pairs = (pairs ?? []) + [pair]
      }
    }
    noteRegistration()
  }

  /// Records that `viewModel` is no longer bound to `controller`.
  ///
  /// The `deinit` of either object may call this. If 64 other registrations precede the call during
  /// that `deinit`, the call may come too late, and the unbinding counts as unmatched. Unbinding a
  /// long-lived view model is an error, which the reporter receives as `LeakFinding.unbinding`.
  ///
  /// - Parameters:
  ///   - viewModel: The object that was bound.
  ///   - controller: The controller that was passed to `registerBinding` with this view model.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Complexity: O(1) on average.
  public func registerUnbinding(
    _ viewModel: AnyObject, from controller: AnyObject? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard MemoryLeakMonitor.isEnabled else { return }
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let wasBound = pairs.update(BindingPair.Key(viewModel, controller)) { pairs in
      // The last pair, because earlier pairs may belong to dead objects whose addresses these two
      // reuse.
      guard let index = pairs?.lastIndex(where: { $0.isThat(of: viewModel, controller) })
      else { return false }
      return pairs![index].unbind()
    }
    if !wasBound { noteUnmatched(viewModel, controller, at: site) }
    if isLongLived(viewModel) { report(viewModel, at: site) }
  }

  /// All bindings so far and their states; other threads may bind and unbind while it is computed.
  ///
  /// If monitors are off, so that no bindings are stored, a line on standard error says so.
  ///
  /// - Complexity: O(*n*) in the number of unfinished bindings, and of distinct descriptions of
  ///   finished ones.
  public var report: BindingReport {
    if !MemoryLeakMonitor.isEnabled { MemoryLeakMonitor.announceSilence() }
    // The history first: a pair that a sweep moves to it meanwhile is then missing from the report
    // instead of counted twice.
    var counts = history.read { $0.counts }
    for (key, pairs) in pairs.snapshot {
      for pair in pairs where !(pair.viewModel.life.isAlive && isLongLived(at: key.viewModel)) {
        counts[pair.record, default: 0] += 1
      }
    }
    return BindingReport(counts)
  }

  /// Forgets all bindings and long-lived view models.
  ///
  /// - Complexity: O(*n*) in the number of bindings.
  public func removeAll() {
    pairs.removeAll()
    longLived.removeAll()
    history.write { $0.clear() }
  }

  /// The number of bindings that the dictionary holds; the history only counts the others.
  var entryCount: Int { pairs.snapshot.values.reduce(0) { $0 + $1.count } }

  /// Counts a registration, and sweeps if a sweep is due.
  func noteRegistration() {
    if let sweep = history.write({ $0.noteRegistration() }) { run(sweep) }
  }

  private func noteUnmatched(
    _ viewModel: AnyObject, _ controller: AnyObject?, at site: CallSite
  ) {
    let record = BindingRecord(
      state: .unmatched, viewModel: TypeName.stable(type(of: viewModel)),
      controller: controller.map { TypeName.stable(type(of: $0)) }, name: nil,
      viewModelIsAlive: false, controllerIsAlive: false, isDoublyBound: false,
      fileID: "\(site.fileID)", line: Int(site.line))
    history.write { $0.add(record) }
  }

  private func report(_ viewModel: AnyObject, at site: CallSite) {
    let type: AnyClass = Swift.type(of: viewModel)
    let leak = LeakReport(
      finding: .unbinding, typeName: TypeName.stable(type), description: TypeName.short(type),
      liveCount: 1, max: 1, site: site)
    (reporter ?? MemoryLeakMonitor.current.reporter).report(leak)
  }
}

// MARK: - Long-lived view models

/// A view model that is expected to live as long as the program.
struct LongLivedModel: Sendable {
  let life: LifeSign
  /// Whether a sweep found it dead.
  var wasFoundDead = false
}

extension BindingAnalyzer {
  /// Registers a view model that lives and stays bound as long as the program, such as that of a
  /// tab bar.
  ///
  /// While the view model is alive, no report lists its bindings, and unbinding it is an error.
  ///
  /// - Complexity: O(1) amortized.
  public func registerLongLived(_ viewModel: AnyObject) {
    guard MemoryLeakMonitor.isEnabled else { return }
    longLived.setValue(
      LongLivedModel(life: LifeSign(viewModel)), forKey: ObjectIdentifier(viewModel))
    noteRegistration()
  }

  /// The number of long-lived entries, dead or alive.
  var longLivedCount: Int { longLived.snapshot.count }

  /// Returns whether `viewModel` is long-lived; the caller keeps it alive or is in its `deinit`.
  func isLongLived(_ viewModel: AnyObject) -> Bool {
    guard let entry = longLived.value(forKey: ObjectIdentifier(viewModel)) else { return false }
    return entry.life.isThat(of: viewModel)
  }

  /// Returns whether the live object at an address is long-lived.
  func isLongLived(at identifier: ObjectIdentifier) -> Bool {
    longLived.value(forKey: identifier)?.life.isAlive ?? false
  }

  /// Forgets a dead long-lived object whose address `viewModel` reuses.
  func forgetLongLivedPredecessor(of viewModel: AnyObject) {
    let identifier = ObjectIdentifier(viewModel)
    // Usually returns here, because few objects are long-lived.
    guard longLived.value(forKey: identifier) != nil else { return }
    longLived.update(identifier) { entry in
      if entry?.life.refers(to: viewModel) == false { entry = nil }
    }
  }
}
