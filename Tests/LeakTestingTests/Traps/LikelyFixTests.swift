import LeakMonitoring
import RuntimeInspection
import Testing

@testable import LeakTesting

/// A trap: a leak, and an object of its fixed twin.
private struct Trap {
  let name: String
  let leak: @MainActor () async -> ReportedLeak?
  let twin: @MainActor () -> AnyObject
}

/// Compares the reference that each trap's report suggests with the one that the twin changes.
@Suite(.timeLimit(.minutes(10)), .enabled(if: RetainSearch.capability == .available)) @MainActor
struct LikelyFixTests {
  private let traps = [
    Trap(
      name: "person and apartment", leak: RetainCycleTests().leak, twin: RetainCycleTests().twin),
    Trap(name: "delegate", leak: DelegateTrapTests().leak, twin: DelegateTrapTests().twin),
    Trap(name: "timer", leak: TimerTrapTests().leak, twin: TimerTrapTests().twin),
    Trap(
      name: "notification", leak: NotificationTrapTests().leak, twin: NotificationTrapTests().twin),
    Trap(
      name: "nested closure", leak: NestedClosureTrapTests().leak,
      twin: NestedClosureTrapTests().twin),
    Trap(
      name: "method reference", leak: MethodReferenceTrapTests().leak,
      twin: MethodReferenceTrapTests().twin),
    Trap(
      name: "lazy closure", leak: LazyClosureTrapTests().leak, twin: LazyClosureTrapTests().twin),
    Trap(
      name: "guard in a task", leak: TaskGuardTrapTests().leak, twin: TaskGuardTrapTests().twin),
    Trap(
      name: "endless stream", leak: EndlessStreamTrapTests().leak,
      twin: EndlessStreamTrapTests().twin),
    Trap(
      name: "second appearance", leak: ReappearingTaskTrapTests().leak,
      twin: ReappearingTaskTrapTests().twin),
    Trap(
      name: "continuation", leak: ContinuationTrapTests().leak,
      twin: ContinuationTrapTests().twin),
    Trap(
      name: "task and its owner", leak: RunningTaskTrapTests().leak,
      twin: RunningTaskTrapTests().twin),
    Trap(
      name: "disappearance", leak: DisappearingTaskTrapTests().leak,
      twin: DisappearingTaskTrapTests().twin),
    Trap(name: "navigator", leak: RepeatedFlowTests().leak, twin: RepeatedFlowTests().twin),
  ]

  @Test func `the first line of a report suggests the reference that the fixed twin changes`()
    async throws
  {
    var rows = [["TRAP", "SUGGESTED", "CHANGED", "AGREES"]]
    var agreeing = 0
    for trap in traps {
      let leak = try #require(await trap.leak(), "\(trap.name) was not reported")
      let path = try #require(leak.path, "\(trap.name): \(leak)")
      let changed = changedEdge(of: path, in: trap.twin())
      let fix = path.likelyFix
      let agrees = fix != nil && fix?.edge == changed
      agreeing += agrees ? 1 : 0
      let reference = { (edge: Int?) in
        edge.map { "\(path.nodes[$0].typeName) \(path.edges[$0].label)" } ?? "none"
      }
      rows.append([trap.name, reference(fix?.edge), reference(changed), agrees ? "yes" : "no"])
      let first = leak.description.prefix { $0 != "\n" }
      if let fix {
        #expect(first.contains("; likely line to change: "), "\(leak)")
        #expect(first.hasSuffix(" (\(fix.advice))"), "\(leak)")
      }
    }
    print(rows.map { $0.joined(separator: " | ") }.joined(separator: "\n"))
    print("agreeing: \(agreeing) of \(traps.count)")
    #expect(agreeing * 10 >= traps.count * 9)
  }

  @Test func `a twin that changes nothing on the path has no changed edge`() async throws {
    let trap = try #require(traps.first)
    let path = try #require(await trap.leak()?.path)
    let person = BrokenPerson()
    person.apartment = BrokenApartment()
    person.apartment?.tenant = person
    #expect(changedEdge(of: path, in: person) == nil)
    person.apartment = nil
  }
}

/// Returns the edge of a leak's path that is no strong reference in the fixed twin.
///
/// It follows the fields of the path in the twin, and returns the first one that the twin does not
/// have, that is weak or that is empty. References of closures and tasks cannot be read: the twin
/// is deallocated, as its own test shows, so the first of them is the changed one if no field is.
/// Classes of another module are the same for both.
@MainActor private func changedEdge(of path: RetainPath, in twin: AnyObject) -> Int? {
  var owner: AnyObject? = twin
  for (index, edge) in path.edges.enumerated() {
    let type = path.nodes[index].typeName
    guard edge.label.hasPrefix(".") else {
      // A closure that captures only a closure converts its type: both twins have it.
      let isConversion = type == "closure" && path.nodes[index + 1].typeName == "closure"
      if !isConversion && (type == "closure" || type == "task") { return index }
      continue
    }
    guard type.hasPrefix("LeakTestingTests.") else { continue }
    guard let object = owner, let value = strongValue(of: edge.label, in: object) else {
      return index
    }
    owner = Swift.type(of: value) is AnyClass ? value as AnyObject : nil
  }
  return nil
}

/// Returns the value of a strong field, or of the first element if it is a collection; nil if there
/// is none.
private func strongValue(of label: String, in object: AnyObject) -> Any? {
  let name = label.dropFirst().prefix { $0 != "[" && $0 != "." }
  let children = Mirror(reflecting: object).strongChildren(isCustom: false)
  let child = children.first { child in
    child.label == String(name) || child.label == "$__lazy_storage_$_\(name)"
  }
  guard let child else { return nil }
  var mirror = Mirror(reflecting: child.value)
  var value = child.value
  if mirror.displayStyle == .optional {
    guard let wrapped = mirror.children.first?.value else { return nil }
    value = wrapped
    mirror = Mirror(reflecting: value)
  }
  return label.hasSuffix("[x]") ? mirror.children.first?.value : value
}
