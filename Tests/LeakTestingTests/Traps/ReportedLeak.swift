import LeakMonitoring
import RuntimeInspection
import WeakCollections

@testable import LeakTesting

/// The failure of a test whose object survives, and the retain path of the object.
struct ReportedLeak: CustomStringConvertible {
  let description: String
  let path: RetainPath?

  /// Returns whether the path contains `step`; true where paths are unavailable.
  func isHeld(by step: String) -> Bool {
    RetainSearch.capability != .available || description.contains(step)
  }
}

/// Returns the failure that a test reports for the object that `make` returns; nil if the object is
/// deallocated in time.
///
/// - Parameter endLeak: Breaks what retains the object, so that a trap leaks only until the end of
///   its test.
func reportedLeak<Object: AnyObject>(
  isolation: isolated (any Actor)? = #isolation, of make: () async -> Object,
  endLeak: (Object) async -> Void
) async -> ReportedLeak? {
  let messages = MutexLock([String]())
  var reference: WeakReference<Object>?
  await RunningTest.$recorder.withValue(
    { message, _ in messages.write { $0.append(message) } },
    operation: {
      await LeapingClock().run(isolation: isolation) {
        await expectDeallocated(paths: .shown(timeout: .seconds(60)), isolation: isolation) {
          let object = await make()
          reference = WeakReference(object)
          return object
        }
      }
    }, isolation: isolation)
  var path: RetainPath?
  if let reference, let object = reference.promote() {
    var search = MemoryLeakMonitor.current.holderSearch(showing: .shown(timeout: .seconds(60)))
    path = search.find(LifeSign(object))?.path
  }
  if let reference, reference.promote() != nil {
    // Ends the leak, so that the sanitizer does not report it either.
    await expectDeallocated(within: .seconds(60), paths: .hidden, isolation: isolation) {
      let object = reference.promote()!
      await endLeak(object)
      return object
    }
  }
  return messages.read { $0 }.first.map { ReportedLeak(description: $0, path: path) }
}
