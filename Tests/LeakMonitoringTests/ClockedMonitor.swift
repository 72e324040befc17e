import LeakMonitoring
import WeakCollections

/// A monitor with what its test has in hand: its reporter and its clock.
func makeClockedMonitor() -> (
  monitor: MemoryLeakMonitor, leaks: CollectedLeaks, clock: ManualClock
) {
  let (leaks, clock) = (CollectedLeaks(), ManualClock())
  let monitor = MemoryLeakMonitor(backend: .lockFree, clock: clock)
  monitor.reporter = leaks
  return (monitor, leaks, clock)
}
