import TerminalIO
import StressTesting
import WeakCollections

/// The subjects and drivers that somebody named.
enum StressSelection {
  /// Returns the subjects of the backends that `text` names, or of all backends if it is nil.
  static func subjects(
    named text: String?, of collections: [CollectionKind]
  ) throws(CommandError) -> [Subject] {
    let all = BackendCatalog.subjects.filter { collections.contains($0.collection) }
    guard let text else { return all }
    var allowed: [String] = []
    for subject in all where !allowed.contains(subject.name) { allowed.append(subject.name) }
    let names = try OptionText.names(in: text, option: "--backend", allowed: allowed)
    if let name = names.first(where: { !allowed.contains($0) }) {
      throw .unknown("backend", name, allowed: allowed)
    }
    return all.filter { names.contains($0.name) }
  }

  static func drivers(_ text: String?) throws(CommandError) -> [StressDriver] {
    guard let text else { return StressDriver.allCases.filter(\.isAvailable) }
    let allowed = StressDriver.allCases.map(\.rawValue)
    var drivers: [StressDriver] = []
    for name in try OptionText.names(in: text, option: "--driver", allowed: allowed) {
      guard let driver = StressDriver(rawValue: name) else {
        throw .unknown("driver", name, allowed: allowed)
      }
      guard driver.isAvailable else {
        throw .usage(
          "--driver schedules needs a build with the trait Interleaving (scripts/stress makes one)")
      }
      drivers.append(driver)
    }
    return drivers
  }
}
