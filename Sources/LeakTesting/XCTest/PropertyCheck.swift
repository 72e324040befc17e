#if canImport(XCTest)
  import LeakMonitoring

  /// What the properties of a test case held before `setUp` and before `tearDown`, without keeping it alive.
  final class PropertyCheck {
    private struct Entry {
      let property: String
      let object: TrackedObject
    }

    /// What each property held before `setUp`.
    private var constants: [TestProperty.Key: [TrackedObject]] = [:]
    /// The properties that held an object or a closure then, and always do.
    private var alwaysFull: Set<TestProperty.Key> = []
    /// What is to be gone in the end.
    private var noted: [Entry] = []

    /// - Parameter testCase: one that was not set up yet.
    init(of testCase: LeakCheckTestCase) {
      for property in Self.properties(of: testCase) {
        constants[property.key] = property.held.objects.map { Self.track($0) }
        if property.isObject || property.held.hasClosure { alwaysFull.insert(property.key) }
      }
      note(testCase)
    }

    /// Notes what the properties hold, which is to be gone in the end.
    func noteObjects(of testCase: LeakCheckTestCase) {
      note(testCase)
    }

    /// A message for each property that should have been reset, and was not.
    func missing(in testCase: LeakCheckTestCase) -> [String] {
      Self.properties(of: testCase).compactMap { property in
        guard !property.isLazy && !alwaysFull.contains(property.key) else { return nil }
        let old = Set((constants[property.key] ?? []).filter(\.isAlive).map(\.identifier))
        let new = property.held.objects.first {
          !old.contains(ObjectIdentifier($0)) && !testCase.isLongLived($0)
        }
        let what = new.map { "an instance of \(TypeName.stable(type(of: $0)))" }
        guard let what = what ?? (property.held.hasClosure ? "a closure" : nil) else { return nil }
        return "`\(property.name)` still holds \(what): missing from tearDown or potential leak"
      }
    }

    /// What the test case holds, which is no leak, whether it should or not.
    func heldObjects(by testCase: LeakCheckTestCase) -> Set<ObjectIdentifier> {
      Set(Self.properties(of: testCase).flatMap(\.held.objects).map { ObjectIdentifier($0) })
    }

    /// What lives of that which is to be gone.
    var survivors: [TrackedObject] { noted.map(\.object).filter(\.isAlive) }

    /// What to say of a survivor that a property held.
    func message(
      about survivor: TrackedObject, after duration: Duration, _ search: inout HolderSearch
    ) -> String {
      let entry = noted.first { $0.object.isAlive && $0.object.identifier == survivor.identifier }
      let message =
        "potential memory leak: `\(entry?.property ?? "")` held an instance of "
        + "\(survivor.typeName), which is alive, expected to be gone within \(duration) after tearDown"
      let holders = survivor.survived(duration, &search).holderLines.map { "  \($0)" }
      return ([message] + holders).joined(separator: "\n")
    }

    private func note(_ testCase: LeakCheckTestCase) {
      for property in Self.properties(of: testCase) {
        for object in property.held.objects where !testCase.isLongLived(object) {
          noted.append(Entry(property: property.name, object: Self.track(object)))
        }
      }
    }

    private static func properties(of testCase: LeakCheckTestCase) -> [TestProperty] {
      TestProperty.all(of: testCase, below: LeakCheckTestCase.self)
    }

    private static func track(_ object: AnyObject) -> TrackedObject {
      TrackedObject(
        object, at: CallSite(fileID: #fileID, filePath: #filePath, line: #line, column: #column))
    }
  }
#endif
