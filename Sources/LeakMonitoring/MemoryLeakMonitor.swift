import Choosing
import WeakCollections

/// Counts the living instances of each class and reports when there are more than the class allows.
///
/// Its objects are held weakly; threads may use it at once, also from initialisers. It keeps one entry for
/// each instance, at most `max` entries of dead ones for each class, and a class's ledger for ever.
public final class MemoryLeakMonitor: Sendable {
  /// The monitor behind the static `validate`.
  public static let shared = MemoryLeakMonitor()

  /// The backend that holds the counts, and why it was chosen.
  public let recommendation: Recommendation

  private let ledger: Ledger
  private let reporterSlot = ReporterSlot(.standard)

  /// A monitor with its own counts. Its backend is the build flag's if that never suspends, else the
  /// chooser's pick from the calibration that this package was built with.
  public convenience init() {
    self.init(.forMonitor())
  }

  /// A monitor with its own counts, which are held by `backend`; traps for `.actor`.
  public convenience init(backend: Backend) {
    self.init(
      Recommendation(
        backend: backend, isCalibrated: false, reason: "MemoryLeakMonitor(backend:) was given it."))
  }

  private init(_ recommendation: Recommendation) {
    self.recommendation = recommendation
    ledger = Ledger(recommendation.backend)
  }

  /// The backend that holds the counts.
  public var backend: Backend { recommendation.backend }

  /// Whom the monitor tells; `.standard` unless replaced. Takes effect for the next report.
  ///
  /// A reporter that uses its monitor refers to it weakly: the monitor keeps its reporter.
  public var reporter: any LeakReporter {
    get { reporterSlot.reporter }
    set { reporterSlot.reporter = newValue }
  }

  /// Counts `object` and reports if more instances of its class live than its `max` allows.
  ///
  /// To be called from an initialiser, when all stored properties are set; from those of a base class and a
  /// subclass both, an object still counts once. Of threads that add instances at once, while none of these
  /// dies, exactly those report that found too many; never does one report fewer than `max` and one. `max`,
  /// `description` and the reporter run outside every exclusion.
  ///
  /// - Complexity: O(1) while the class has no more entries than `max`, else O(*n*) in its entries.
  public func validate<Object: MemoryLeakMonitorable>(
    _ object: Object, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let max = object.max
    guard let liveCount = ledger.add(object, max) else { return }
    reporter.report(
      LeakReport(
        typeName: TypeName.stable(type(of: object as AnyObject)), description: object.description,
        liveCount: liveCount, max: max,
        site: CallSite(fileID: fileID, filePath: filePath, line: line, column: column)))
  }

  /// `validate` of the shared monitor.
  public static func validate<Object: MemoryLeakMonitorable>(
    _ object: Object, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    shared.validate(object, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// How many validated instances of exactly this class live.
  ///
  /// - Complexity: O(*n*) in the class's entries.
  public func liveCount(of type: AnyClass) -> Int {
    ledger.liveCount(type)
  }
}
