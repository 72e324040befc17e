import LeakMonitoring
import RuntimeInspection
import WeakCollections

@testable import LeakTesting

/// The failure of a test whose object survives, and the retain path of the object.
struct ReportedLeak: CustomStringConvertible {
  let description: String
  let path: RetainPath?

  /// Whether the path has that step in it; of no path it is not asked where none can be had.
  func isHeld(by step: String) -> Bool {
    RetainSearch.capability != .available || description.contains(step)
  }
}

/// What a test is told of what `make` returns, if that lives on after it was let go; else nil.
///
/// - Parameter mend: ends what holds the object, so that a trap leaks until the end of its test and
///   no longer.
func reportedLeak<Object: AnyObject>(
  isolation: isolated (any Actor)? = #isolation, of make: () async -> Object,
  mend: (Object) async -> Void
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
    // What is mended is gone, so that the sanitizer finds nothing either.
    await expectDeallocated(within: .seconds(60), paths: .hidden, isolation: isolation) {
      let object = reference.promote()!
      await mend(object)
      return object
    }
  }
  return messages.read { $0 }.first.map { ReportedLeak(description: $0, path: path) }
}
