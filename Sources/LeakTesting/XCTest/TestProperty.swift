#if canImport(XCTest)
  import XCTest

  /// A stored property of a test case, with its value.
  struct TestProperty {
    /// What tells it from others of the same name in other classes of the test case.
    struct Key: Hashable {
      let owner: ObjectIdentifier
      let label: String
    }

    private static let lazyPrefix = "$__lazy_storage_$_"

    let key: Key
    let value: Any
    let held: HeldObjects

    private init(_ owner: AnyClass, _ label: String, _ value: Any) {
      key = Key(owner: ObjectIdentifier(owner), label: label)
      self.value = value
      held = HeldObjects(in: value)
    }

    var isLazy: Bool { key.label.hasPrefix(Self.lazyPrefix) }

    var name: String {
      isLazy ? String(key.label.dropFirst(Self.lazyPrefix.count)) : key.label
    }

    /// Whether its type is a class, so that it can be given another object but none cannot.
    var isObject: Bool { type(of: value) is AnyClass }

    /// The strong properties of `testCase`, those of its superclasses below `base` included.
    static func all(of testCase: XCTestCase, below base: AnyClass) -> [TestProperty] {
      let isCustom = testCase is any CustomReflectable
      let mirrors = sequence(first: Mirror(reflecting: testCase), next: \.superclassMirror)
      return mirrors.prefix { $0.subjectType != base }.flatMap { mirror in
        mirror.strongChildren(isCustom: isCustom).compactMap { child in
          guard let owner = mirror.subjectType as? AnyClass, let label = child.label
          else { return nil }
          return TestProperty(owner, label, child.value)
        }
      }
    }
  }
#endif
