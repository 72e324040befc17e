import Testing

@testable import RuntimeInspection

private let module = "RuntimeInspectionTests"

private final class Hidden: Shape {}

@Suite struct DeclaredClassesTests {
  @Test func `1.7 every subclass is found, also private, nested and local ones, by name`() throws {
    final class Local: Shape {}
    #expect(DeclaredClasses.capability == .available)
    let found = try DeclaredClasses(in: [module]).subclasses(of: Shape.self)
    let names = [
      "Circle", "DeclaredClassesTests.Local", "DeclaredClassesTests.Local", "Drawing.Extending",
      "Drawing.Nested", "GenericShape", "Hidden", "Labelled", "NumberShape",
    ]
    #expect(
      found.map(\.name) == ["(extension in \(module)):Swift.String.OfString"]
        + names.map { "\(module).\($0)" })
    let types = Set(found.compactMap { $0.type.map { ObjectIdentifier($0) } })
    #expect(types.isSuperset(of: [ObjectIdentifier(Local.self), ObjectIdentifier(Hidden.self)]))
    #expect(types.count == found.count - 2)
  }

  @Test func `1.7 local classes of two functions may have the same name`() throws {
    final class Local: Shape {}
    let found = try DeclaredClasses(in: [module]).all.filter { $0.includes(Local.self) }
    #expect(found.map(\.name) == ["\(module).DeclaredClassesTests.Local"])
  }

  @Test func `1.7 a generic class is found once, for all its arguments`() throws {
    let found = try DeclaredClasses(in: [module]).subclasses(of: GenericShape<[Int]>.self)
    #expect(found.map(\.name) == ["\(module).Labelled"])
    #expect(found.first?.type == nil)
    #expect(found.first?.includes(Labelled<Int>.self) == true)
    #expect(found.first?.includes(Circle.self) == false)
  }

  @Test func `1.7 conformers are selected by a closure, including actors`() throws {
    let found = try DeclaredClasses(in: [module]).conformers { $0 is any Closable.Type }
    #expect(found.map(\.name) == ["\(module).Circle", "\(module).Session"])
    #expect(
      found.compactMap(\.type).map { ObjectIdentifier($0) } == [
        ObjectIdentifier(Circle.self), ObjectIdentifier(Session.self),
      ])
  }

  @Test func `1.7 only classes of the named modules are found`() throws {
    #expect(try DeclaredClasses(in: []).all.isEmpty)
    #expect(try DeclaredClasses(in: ["RuntimeInspectionTest", "Nowhere"]).all.isEmpty)
    // The classes of Core Foundation, which are not Swift classes.
    #expect(try DeclaredClasses(in: ["__C"]).all.isEmpty)
    #expect(try DeclaredClasses(in: [module, "Swift"]).modules == [module, "Swift"])
    #expect(DeclaredClass(Circle.self).module == module)
  }

  @Test func `1.7 where classes cannot be enumerated, an error is thrown`() throws {
    // Reports a class of a module other than the searched one.
    let capability = DeclaredClasses.capability(finding: [("foreign", Circle.self)])
    let reason = "the runtime does not list a foreign class of RuntimeInspection"
    #expect(capability == .unavailable(reason))
    #expect(throws: ClassesUnavailable(reason: reason)) {
      try DeclaredClasses(in: [module], capability: capability)
    }
    #expect(
      "\(ClassesUnavailable(reason: reason))"
        == "cannot enumerate the classes of a module here: \(reason); pass a list of classes")
  }

  @Test func `1.7 registered classes are filtered too`() {
    let classes = DeclaredClasses(registered: [Session.self, NumberShape.self, Circle.self])
    #expect(
      classes.subclasses(of: Shape.self).map(\.name)
        == ["Circle", "NumberShape"].map { "\(module).\($0)" })
    #expect(classes.conformers { $0 is any Closable.Type }.count == 2)
  }

  @Test func `the example's module does not exist here`() throws {
    final class Screen {}
    let classes = try DeclaredClasses(in: ["App"])
    let screens = classes.subclasses(of: Screen.self)
    let closables = classes.conformers { $0 is any Closable.Type }
    #expect(screens.isEmpty && closables.isEmpty)
  }

  @Test func `concurrent callers get the same classes`() async throws {
    let names = await withTaskGroup(of: [String]?.self) { group in
      for _ in 0..<8 { group.addTask { try? DeclaredClasses(in: [module]).all.map(\.name) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(names).count == 1 && names.first??.isEmpty == false)
  }
}

/// Classes in every kind of declaration.
class Shape {}

final class Circle: Shape {}

enum Drawing {
  final class Nested: Shape {}
}

extension Drawing {
  final class Extending: Shape {}
}

extension String {
  final class OfString: Shape {}
}

class GenericShape<Content>: Shape {}
final class NumberShape: GenericShape<Int> {}
final class Labelled<Content>: GenericShape<[Content]> {}

protocol Closable {}

extension Circle: Closable {}

actor Session: Closable {}

@Suite struct StrongCountTests {
  private final class Thing {}

  @Test func `each additional strong reference counts once`() throws {
    let thing = Thing()
    let alone = try #require(strongCount(of: thing))
    var kept: [Thing] = []
    for count in 1...3 {
      kept.append(thing)
      #expect(strongCount(of: thing) == alone + count)
    }
    #expect(kept.count == 3)
  }
}
