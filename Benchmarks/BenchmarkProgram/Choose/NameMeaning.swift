import Charts
import Choosing
import Reporting
import TerminalIO
import WeakCollections

/// The backend of a published name in a build, and the reason.
struct NameMeaning: Codable, Equatable {
  var name: String
  var backend: Backend
  /// The Swift type, or `nil` for the leak monitor.
  var type: String?
  var why: String

  /// The meanings of all published names and of the leak monitor.
  static var all: [NameMeaning] {
    let selected = Backend.selectedByTrait
    let atomic = CollectionKind.allCases.map { kind in
      NameMeaning(
        atomic: kind, means: .ofAtomicName(of: kind), selected: selected)
    }
    let factories = CollectionKind.allCases.map { kind in
      // If the trait's backend lacks the abstract type, a factory creates the type of the Atomic
      // name.
      NameMeaning(
        factory: kind,
        means: Backend.ofFactories.isSynchronous ? .ofAtomicName(of: kind) : .ofFactories,
        selected: selected)
    }
    return atomic + factories + [NameMeaning(ofMonitor: .forMonitor())]
  }

  init(atomic kind: CollectionKind, means backend: Backend, selected: Backend?) {
    self.init(
      name: "Atomic\(kind.abstractName)", backend: backend, type: backend.typeName(for: kind),
      why: Self.reason(backend, kind, selected))
  }

  init(factory kind: CollectionKind, means backend: Backend, selected: Backend?) {
    self.init(
      name: "make\(kind.abstractName)()", backend: backend, type: backend.typeName(for: kind),
      why: Self.reason(backend, kind, selected))
  }

  private init(ofMonitor recommendation: Recommendation) {
    self.init(
      name: "MemoryLeakMonitor", backend: recommendation.backend, type: nil,
      why: recommendation.reason)
  }

  private init(name: String, backend: Backend, type: String?, why: String) {
    (self.name, self.backend, self.type, self.why) = (name, backend, type, why)
  }

  private static func reason(
    _ backend: Backend, _ kind: CollectionKind, _ selected: Backend?
  ) -> String {
    guard let selected else { return "It is the default; no trait selects another." }
    if backend == selected { return "The trait \(selected.trait) selects it." }
    if !selected.isSynchronous {
      return "It is the default; the trait \(selected.trait) selects one that suspends."
    }
    return
      "The trait \(selected.trait) selects one without a \(kind.rawValue); this is the most similar "
      + "backend that has one."
  }

  static func text(of meanings: [NameMeaning]) -> String {
    let columns = ["NAME", "BACKEND", "SWIFT TYPE", "WHY"].map { TextTable.Column(title: $0) }
    let rows = meanings.map {
      [$0.name, $0.backend.rawValue, $0.type ?? NumberText.missing, $0.why]
    }
    return TextTable(columns: columns, rows: rows).lines.joined(separator: "\n")
  }

  static func json(of meanings: [NameMeaning]) -> String { PrettyJSON.text(of: meanings) }
}

extension CollectionKind {
  /// The name of the abstract type as in `AtomicWeakArray`.
  fileprivate var abstractName: String {
    switch self {
    case .weakArray: "WeakArray"
    case .dictionary: "Dictionary"
    case .weakSet: "WeakSet"
    }
  }
}
