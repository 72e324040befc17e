import Choosing
import WeakCollections

/// Knows which view models were bound, to which controllers, and which of them were not released.
///
/// ```swift
/// func viewDidLoad() { BindingAnalyzer.shared.registerBinding(model, to: self) }
/// deinit { BindingAnalyzer.shared.registerUnbinding(model, from: self) }
/// …
/// print(BindingAnalyzer.shared.report.text)
/// ```
///
/// A binding is a pair of objects, told apart by identity: to bind a pair twice does not hide that another
/// was never unbound. All objects are held weakly; threads may use it at once. Nothing is stored while
/// `MemoryLeakMonitor.isEnabled` is false.
public final class BindingAnalyzer: Sendable {
  /// One for the whole program. Its backend is that of `MemoryLeakMonitor.shared`.
  public static let shared = BindingAnalyzer(MemoryLeakMonitor.recommendationForShared())

  /// The backend that holds the bindings.
  public let backend: Backend

  // Of one key there are several pairs if the objects at these addresses died and others came.
  let pairs: any SynchronousDictionary<BindingPair.Key, [BindingPair]> & Sendable
  let longLived: any SynchronousDictionary<ObjectIdentifier, LongLivedModel> & Sendable
  let history = MutexLock(BindingHistory())
  private let reporter: (any LeakReporter)?

  /// One with its own bindings, which are held by the backend that a monitor would choose.
  ///
  /// - Parameter reporter: is told of mistakes at once; nil for that of the monitor that is current then.
  public convenience init(reporter: (any LeakReporter)? = nil) {
    self.init(MemoryLeakMonitor.recommendationBySetting(), reporter: reporter)
  }

  private convenience init(
    _ recommendation: Recommendation, reporter: (any LeakReporter)? = nil
  ) {
    self.init(backend: recommendation.backend, reporter: reporter)
  }

  /// One with its own bindings, which are held by `backend`; traps for `.actor`.
  public init(backend: Backend, reporter: (any LeakReporter)? = nil) {
    self.backend = backend
    self.reporter = reporter
    pairs = backend.makeSynchronousDictionary()
    longLived = backend.makeSynchronousDictionary()
  }

  /// Notes that `viewModel` was bound to `controller`, or to something that is not told. It is noted too if
  /// they are bound already: see `BindingRecord.isDoublyBound`.
  ///
  /// `name` tells view models of one class apart in reports. It is to be one of few: a report has a line for each.
  ///
  /// - Complexity: O(1) amortised.
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

  /// Notes that `viewModel` is no longer bound to `controller`, which is to be the same as in
  /// `registerBinding`. May be called from the `deinit` of either; one that makes 64 other bindings before it
  /// unbinds may come too late, and is then unmatched.
  ///
  /// If the view model is long-lived that is an error, which is reported as `LeakFinding.unbinding`.
  ///
  /// - Complexity: O(1) on average.
  public func registerUnbinding(
    _ viewModel: AnyObject, from controller: AnyObject? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard MemoryLeakMonitor.isEnabled else { return }
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let wasBound = pairs.update(BindingPair.Key(viewModel, controller)) { pairs in
      // The last, since others may be of objects whose addresses these two have now.
      guard let index = pairs?.lastIndex(where: { $0.isThat(of: viewModel, controller) })
      else { return false }
      return pairs![index].unbind()
    }
    if !wasBound { noteUnmatched(viewModel, controller, at: site) }
    if isLongLived(viewModel) { report(viewModel, at: site) }
  }

  /// All bindings until now and what became of them. Others may bind and unbind meanwhile.
  ///
  /// - Complexity: O(*n*) in the bindings that are not over, and the kinds of those that are.
  public var report: BindingReport {
    // History first: a pair that moves there meanwhile is in neither rather than counted twice.
    var counts = history.read { $0.counts }
    for (key, pairs) in pairs.snapshot {
      for pair in pairs where !(pair.viewModel.life.isAlive && isLongLived(at: key.viewModel)) {
        counts[pair.record, default: 0] += 1
      }
    }
    return BindingReport(counts)
  }

  /// Forgets everything, the long-lived too.
  ///
  /// - Complexity: O(*n*).
  public func removeAll() {
    pairs.removeAll()
    longLived.removeAll()
    history.write { $0.clear() }
  }

  /// How many bindings are held one by one.
  var entryCount: Int { pairs.snapshot.values.reduce(0) { $0 + $1.count } }

  /// Sweeps if that is due.
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

/// A view model that lives as long as the program, or is to.
struct LongLivedModel: Sendable {
  let life: LifeSign
  /// Whether a sweep has found it dead.
  var wasFoundDead = false
}

extension BindingAnalyzer {
  /// Notes that `viewModel` lives and stays bound as long as the program, such as that of a tab bar: it is in no
  /// report while it lives, and to unbind it is an error.
  ///
  /// - Complexity: O(1) amortised.
  public func registerLongLived(_ viewModel: AnyObject) {
    guard MemoryLeakMonitor.isEnabled else { return }
    longLived.setValue(
      LongLivedModel(life: LifeSign(viewModel)), forKey: ObjectIdentifier(viewModel))
    noteRegistration()
  }

  /// How many long-lived objects are held, dead or alive.
  var longLivedCount: Int { longLived.snapshot.count }

  /// Whether it is long-lived; the caller keeps it alive, or is in its `deinit`.
  func isLongLived(_ viewModel: AnyObject) -> Bool {
    guard let entry = longLived.value(forKey: ObjectIdentifier(viewModel)) else { return false }
    return entry.life.isThat(of: viewModel)
  }

  /// Whether the living object at an address is long-lived.
  func isLongLived(at identifier: ObjectIdentifier) -> Bool {
    longLived.value(forKey: identifier)?.life.isAlive ?? false
  }

  /// Forgets a long-lived object that died, whose address `viewModel` has now.
  func forgetLongLivedPredecessor(of viewModel: AnyObject) {
    let identifier = ObjectIdentifier(viewModel)
    // Few are long-lived: mostly this is all.
    guard longLived.value(forKey: identifier) != nil else { return }
    longLived.update(identifier) { entry in
      if entry?.life.refers(to: viewModel) == false { entry = nil }
    }
  }
}
