import CRuntimeInspection

/// What the compiler leaves in an image of a type, a module or something else that types are declared in.
struct ContextDescriptor: Hashable {
  let address: UnsafeRawPointer

  private init(_ address: UnsafeRawPointer) {
    self.address = address
  }

  /// The descriptor of `type`; nil if Swift does not describe it.
  init?(of type: AnyClass) {
    guard let address = cri_descriptor_of_class(unsafeBitCast(type, to: UnsafeRawPointer.self))
    else { return nil }
    self.init(address)
  }

  /// Those of all classes that `modules` declare; nil where there is no telling.
  static func classes(in modules: Set<String>) -> [ContextDescriptor]? {
    // Which an empty name would end.
    let names = modules.filter { !$0.isEmpty }.map { $0 + "\0" }.joined()
    var found: [UnsafeRawPointer?] = []
    // Once for their number, and again for as long as images are loaded meanwhile.
    while true {
      let count = cri_class_descriptors(names, &found, found.count)
      guard count >= 0 else { return nil }
      if count <= found.count { return found.prefix(count).compactMap { $0 }.map(Self.init) }
      found = Array(repeating: nil, count: count)
    }
  }

  /// The class, unless it is generic.
  var type: AnyClass? {
    cri_metadata_of_class(address).map { unsafeBitCast($0, to: AnyClass.self) }
  }

  /// That of the superclass, whatever the arguments of that are.
  var superclass: ContextDescriptor? {
    cri_superclass_descriptor(address).map(Self.init)
  }

  /// Whether this is a class that inherits from `base`, with whatever arguments.
  func inherits(from base: AnyClass) -> Bool {
    guard let base = ContextDescriptor(of: base) else { return false }
    return sequence(first: self, next: \.superclass).dropFirst().contains(base)
  }

  /// The name with those of the module and of types around it, and nothing of functions and files.
  var name: String {
    contexts.reversed().compactMap(\.ownName).joined(separator: ".")
  }

  var module: String? { cri_module_name(address).map { String(cString: $0) } }

  /// This, what is around it, and so on.
  private var contexts: [ContextDescriptor] {
    Array(sequence(first: self) { cri_parent_context($0.address).map(Self.init) })
  }

  private var ownName: String? {
    cri_context_name(address).map { String(cString: $0) }
  }
}

// @unchecked: nobody writes to an image's descriptors, which stay where they are.
extension ContextDescriptor: @unchecked Sendable {}
