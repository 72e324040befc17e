import LeakMonitoring
import Testing
import Threading
import WeakCollections

// The kinds of classes that can store a token.

private final class Player {
  private let lifetime = LifetimeToken(of: Player.self, max: 2)
}

private final class Parcel<Content> {
  private let lifetime = LifetimeToken(of: Parcel<Content>.self)
  let content: Content

  init(_ content: Content) {
    self.content = content
  }
}

private class Screen {
  private let lifetime: LifetimeToken

  init() {
    lifetime = LifetimeToken(of: Self.self)
  }
}

private final class SettingsScreen: Screen {}

private final class Draft: Codable {
  private let lifetime = LifetimeToken(of: Draft.self)
  var text: String

  private enum CodingKeys: CodingKey { case text }

  init(_ text: String) {
    self.text = text
  }
}

private actor Worker {
  private let lifetime = LifetimeToken(of: Worker.self)
}

@MainActor private final class Panel {
  private let lifetime = LifetimeToken(of: Panel.self)
}

private final class Message: Sendable {
  private let lifetime = LifetimeToken(of: Message.self, max: nil)
}

private final class Refused {
  struct Refusal: Error {}
  private let lifetime = LifetimeToken(of: Refused.self)

  init(refusing: Bool) throws {
    if refusing { throw Refusal() }
  }
}

private final class Video {
  private let lifetime = LifetimeToken(
    of: Video.self, LifetimeConfiguration(max: 3, group: "media", groupMax: 3))
}

private final class Sound {
  private let lifetime = LifetimeToken(
    of: Sound.self, LifetimeConfiguration(max: nil, group: "media", groupMax: 3))
}

@Suite(.timeLimit(.minutes(10)))
struct LifetimeTokenTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `2.7 a token counts its instance from initialization to deallocation`() {
    expectCounted { Player() }
    expectCounted { Parcel(1) }
    expectCounted { SettingsScreen() }
    expectCounted { Screen() }
    expectCounted { Draft("") }
    expectCounted { Worker() }
    expectCounted { Message() }
  }

  @Test @MainActor func `a token counts a class of the main actor`() {
    expectCounted { Panel() }
  }

  @Test func `each specialization of a generic class has a count`() {
    watch {
      let boxes = (Parcel(1), Parcel(""))
      #expect(monitor.lifetimeCount(of: Parcel<Int>.self) == 1)
      #expect(monitor.lifetimeCount(of: Parcel<String>.self) == 1)
      withExtendedLifetime(boxes) {}
    }
    #expect(leaks.all.isEmpty)
  }

  @Test func `each subclass of a base class has a count`() {
    watch {
      let screens = (Screen(), SettingsScreen())
      #expect(monitor.lifetimeCount(of: Screen.self) == 1)
      #expect(monitor.lifetimeCount(of: SettingsScreen.self) == 1)
      withExtendedLifetime(screens) {}
    }
    #expect(leaks.all.isEmpty)
  }

  @Test func `a Codable class is encoded without its token`() throws {
    struct Keys: Decoder {
      // Decodes one key, "text", and fails for any other.
      var codingPath: [any CodingKey] { [] }
      var userInfo: [CodingUserInfoKey: Any] { [:] }
      func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(TextContainer<Key>())
      }
      func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Refused.Refusal() }
      func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw Refused.Refusal()
      }
    }
    try watch {
      let draft = try Draft(from: Keys())
      #expect(draft.text == "text")
      #expect(monitor.lifetimeCount(of: Draft.self) == 1)
      withExtendedLifetime(draft) {}
    }
    #expect(monitor.lifetimeCount(of: Draft.self) == 0)
  }

  @Test func `an instance whose initializer throws is counted and removed`() {
    watch { _ = #expect(throws: Refused.Refusal.self) { try Refused(refusing: true) } }
    #expect(monitor.lifetimeCount(of: Refused.self) == 0)
  }

  @Test func `an excess instance is reported at the line of its token`() throws {
    watch {
      let players = [Player(), Player()]
      #expect(leaks.all.isEmpty)
      withExtendedLifetime((players, Player())) {}
      withExtendedLifetime(players) {}
    }
    let leak = try #require(leaks.all.first)
    #expect(leaks.all.count == 1)
    #expect(leak.liveCount == 3 && leak.max == 2 && leak.group == nil)
    #expect(leak.typeName == "LeakMonitoringTests.Player")
    #expect("\(leak.site.fileID)" == "LeakMonitoringTests/LifetimeTokenTests.swift")
    #expect(leak.site.line == 9)
  }

  @Test func `a group has a maximum of its own`() throws {
    watch {
      var media: [AnyObject] = [Video(), Video()]
      clock.advance(by: .seconds(1))
      media.append(Sound())
      #expect(leaks.all.isEmpty)
      #expect(monitor.lifetimeCount(ofGroup: "media") == 3)
      withExtendedLifetime((media, Sound())) {}
      withExtendedLifetime(media) {}
    }
    let leak = try #require(leaks.all.first)
    #expect(leaks.all.count == 1)
    #expect(leak.group == "media" && leak.liveCount == 4 && leak.max == 3)
    #expect(leak.message.hasPrefix("Sound: 4 instances of the group media are alive, expected"))
    #expect(leak.survivors.map(\.description) == ["Video", "Video", "Sound", "Sound"])
    #expect(monitor.lifetimeCount(ofGroup: "media") == 0)
  }

  @Test func `allowed leaks apply to tokens too`() {
    monitor.allowLeaks(of: Screen.self, upTo: 1)
    watch { withExtendedLifetime([Screen(), Screen(), Screen()]) {} }
    #expect(leaks.all.map(\.state) == [.allowed, .leaked])
  }

  @Test func `the end of an instance that was removed changes no count`() {
    let player = MemoryLeakMonitor.withIsolation(in: monitor) { Player() }
    monitor.removeAll()
    #expect(monitor.lifetimeCount(of: Player.self) == 0)
    let another = MemoryLeakMonitor.withIsolation(in: monitor) { Player() }
    withExtendedLifetime(player) {}
    #expect(monitor.lifetimeCount(of: Player.self) == 1)
    withExtendedLifetime(another) {}
  }

  @Test func `a reporter may create excess instances`() {
    final class Nested: LeakReporter {
      let depth = MutexLock(0)

      func report(_ leak: LeakReport) {
        let depth = depth.write { depth in
          depth += 1
          return depth
        }
        if depth < 3 { withExtendedLifetime(Screen()) {} }
      }
    }
    let reporter = Nested()
    monitor.reporter = reporter
    watch { withExtendedLifetime([Screen(), Screen()]) {} }
    #expect(reporter.depth.read { copy $0 } == 3)
  }

  /// Expects that an instance is counted while it is alive, and neither before nor after.
  private func expectCounted<Object: AnyObject>(_ make: () -> Object) {
    watch {
      let object = make()
      #expect(monitor.lifetimeCount(of: Object.self) == 1)
      withExtendedLifetime(object) {}
    }
    #expect(monitor.lifetimeCount(of: Object.self) == 0)
    #expect(leaks.all.isEmpty)
  }

  private func watch<R>(_ body: () throws -> R) rethrows -> R {
    try MemoryLeakMonitor.withIsolation(in: monitor, body)
  }
}

/// A container with the key "text" and no other.
private struct TextContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { key.stringValue == "text" }
  func decodeNil(forKey key: Key) throws -> Bool { throw Refused.Refusal() }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard contains(key), let text = key.stringValue as? T else { throw Refused.Refusal() }
    return text
  }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw Refused.Refusal() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw Refused.Refusal()
  }
  func superDecoder() throws -> any Decoder { throw Refused.Refusal() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw Refused.Refusal() }
}

private final class SharedMessage: Sendable {
  private let lifetime = LifetimeToken(of: SharedMessage.self, max: nil)
}

private final class Churn: Sendable {
  let isOver = MutexLock(false)
}

/// Tokens that several threads create concurrently.
@Suite(.timeLimit(.minutes(10)))
struct LifetimeThreadsTests {
  private var (monitor, _, _) = makeClockedMonitor()

  @Test func `threads that create and release instances concurrently leave a count of zero`() async
  {
    let monitor = monitor
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          await onOwnThread {
            MemoryLeakMonitor.withIsolation(in: monitor) {
              for _ in 0..<1000 { withExtendedLifetime([SharedMessage(), SharedMessage()]) {} }
            }
          }
        }
      }
    }
    #expect(monitor.lifetimeCount(of: SharedMessage.self) == 0)
    #expect(monitor.cost.validations == 8000)
  }

  @Test func `a count is never more than the number of instances that are alive`() async {
    let monitor = monitor
    let churn = Churn()
    await withTaskGroup { group in
      group.addTask {
        await onOwnThread {
          MemoryLeakMonitor.withIsolation(in: monitor) {
            for _ in 0..<20_000 { withExtendedLifetime(SharedMessage()) {} }
          }
          churn.isOver.write { $0 = true }
        }
      }
      group.addTask {
        await onOwnThread {
          while !churn.isOver.read({ $0 }) {
            let count = monitor.lifetimeCount(of: SharedMessage.self)
            guard count != 0, count != 1 else { continue }
            Issue.record("\(count) live")
            return
          }
        }
      }
    }
  }
}
