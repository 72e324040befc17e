import LeakMonitoring

// MonitoringAProgram.md 1
// MonitoringAProgram.md 2
MemoryLeakMonitor.isEnabled = true
if true {
  var screens: [Screen] = []
  func openAndCloseTheScreen() { screens.append(Screen()) }
  // MonitoringAProgram.md 3
  // prints Screen 1 0 0

  let all = (Coordinator(), ArchiveCoordinator(), ArchiveCoordinator(), Draft())
  print(MemoryLeakMonitor.shared.liveCount(of: Coordinator.self), screens.count, all.3.text.count)
  // prints 1 1 0

  let (model, screen) = (Player(), Player())
  // MonitoringAProgram.md 6
  // prints bound a second time before it was unbound
}
