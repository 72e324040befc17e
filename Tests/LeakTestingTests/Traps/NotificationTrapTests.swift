import Foundation
import LeakMonitoring
import LeakTesting
import Testing

/// The notification center keeps the block until the token is removed, and the block the badge.
@MainActor
final class BrokenBadge {
  private(set) var unread = 0
  private var token: (any NSObjectProtocol)?

  init() {
    token = NotificationCenter.default.addObserver(
      forName: .mailArrived, object: nil, queue: nil
    ) { _ in
      MainActor.assumeIsolated { self.unread += 1 }
    }
  }

  func close() {
    token.map { NotificationCenter.default.removeObserver($0) }
    token = nil
  }
}

@MainActor
final class FixedBadge {
  private(set) var unread = 0
  private var token: (any NSObjectProtocol)?

  init() {
    token = NotificationCenter.default.addObserver(
      forName: .mailArrived, object: nil, queue: nil
    ) { [weak self] _ in
      MainActor.assumeIsolated { self?.unread += 1 }
    }
  }

  isolated deinit { token.map { NotificationCenter.default.removeObserver($0) } }
}

extension Notification.Name {
  fileprivate static let mailArrived = Notification.Name("mailArrived")
}

@Suite @MainActor struct NotificationTrapTests {
  @Test func `2.13 a notification's block that captures the token's owner is reported`() async {
    let leak = await MemoryLeakMonitor.withIsolation {
      MemoryLeakMonitor.addRoot("notification center", NotificationCenter.default)
      return await reportedLeak {
        BrokenBadge()
      } mend: {
        $0.close()
      }
    }
    #expect(
      leak?.isHeld(by: "notification center") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `2.13 one that captures it weakly is not`() {
    let badge = track(FixedBadge())
    NotificationCenter.default.post(name: .mailArrived, object: nil)
    #expect(badge.unread == 1)
  }
}
