import LeakMonitoring
import LeakTesting
import Testing

final class Connection {
  var onLine: ((String) -> Void)?
}
// FindingALeak.md 1
// FindingALeak.md 4
// fails with FindingALeak.md 1
// fails with LEAK_PATHS=1 FindingALeak.md 2
