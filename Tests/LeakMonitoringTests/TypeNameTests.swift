import RuntimeInspection
import Testing

@testable import LeakMonitoring

struct TypeNameTests {
  @Test func `D 0.c: the name of a local class has no address in it`() {
    final class Local {}
    #expect(TypeName.stable(Local.self) == "LeakMonitoringTests.TypeNameTests.Local")
    #expect(
      TypeName.stable(Box<Local>.self)
        == "LeakMonitoringTests.Box<LeakMonitoringTests.TypeNameTests.Local>")
  }

  @Test func `other names stay as they are`() {
    #expect(nameWithoutAddresses("App.Screen.Model<Swift.Int>") == "App.Screen.Model<Swift.Int>")
  }
}

final class Box<Content> {}
