import Testing

@testable import Primitives

struct HostTests {
  @Test func `a process may use at least one core and no more than there are`() {
    #expect((1...Host.hostCores).contains(Host.usableCores))
  }

  @Test(arguments: [("100000 100000", 1), ("150000 100000", 2), ("5000 100000", 1)])
  func `a quota grants cores, rounded up`(_ limit: String, cores: Int) {
    #expect(ControlGroup.cores(in: limit) == cores)
  }

  @Test(arguments: ["max 100000", "", "1", "1 0", "a b"])
  func `no quota grants no number of cores`(_ limit: String) {
    #expect(ControlGroup.cores(in: limit) == nil)
  }

  @Test func `the tightest of the groups around a process counts`() {
    let limits = [
      "/sys/fs/cgroup/a/b/cpu.max": "max 100000",
      "/sys/fs/cgroup/a/cpu.max": "200000 100000",
      "/sys/fs/cgroup/cpu.max": "300000 100000",
    ]
    #expect(ControlGroup(path: "/a/b") { limits[$0] }.cores == 2)
    #expect(ControlGroup(path: "/") { limits[$0] }.cores == 3)
    #expect(ControlGroup(path: "/a/b") { _ in nil }.cores == nil)
  }
}
