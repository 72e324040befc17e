import CRuntimeInspection

/// The names of types, read from the memory of this process or of another one.
///
/// A name is the one that `String(reflecting:)` returns, without the parts that differ in every
/// run. `Layouts.h` has the layouts. A part of a name that cannot be read, or whose kind is
/// unknown, is "…".
struct TypeNames {
  private static let unknown = "…"
  private static let deepest = 12

  private let memory: ProcessMemory

  init(_ memory: ProcessMemory) { self.memory = memory }

  /// Returns the name of a type.
  ///
  /// - Parameter metadata: The address of its metadata.
  func name(ofType metadata: UInt) -> String { name(ofType: metadata, depth: 0) }

  /// Returns the types of the captures of a closure, in parentheses.
  ///
  /// - Parameter metadata: The address of the metadata of its context.
  func captures(_ metadata: UInt) -> String {
    guard let context = memory.value(at: metadata, as: cri_context.self),
      let captures = captures(of: context)
    else { return "(\(Self.unknown))" }
    let names = captures.names.map { name in
      name.flatMap { MangledName(at: $0, memory, self).text } ?? Self.unknown
    }
    return "(\(names.joined(separator: ", ")))"
  }

  /// Returns what the metadata of a context says about its captures, and the addresses of the
  /// mangled names of their types.
  private func captures(of context: cri_context) -> (head: cri_captures, names: [UInt?])? {
    let captures = UInt(bitPattern: context.captures)
    guard captures != 0, let head = memory.value(at: captures, as: cri_captures.self),
      head.count <= 64
    else { return nil }
    let first = captures + UInt(MemoryLayout<cri_captures>.size)
    return (head, (0..<UInt(head.count)).map { memory.target(at: first + 4 * $0) })
  }

  /// Returns the type of the value in a box.
  ///
  /// - Parameter metadata: The address of the metadata of the box.
  func content(ofBox metadata: UInt) -> String {
    memory.value(at: metadata, as: cri_box.self).map { name(ofType: UInt(bitPattern: $0.type)) }
      ?? Self.unknown
  }

  /// Returns the name of the stored property at an offset in an instance of a class, and whether
  /// its type says that the word there is a reference; nil if the offset is in the header or after
  /// the properties.
  func field(ofClass metadata: UInt, at place: UInt) -> (name: String, isReference: Bool)? {
    var (metadata, depth) = (metadata, 0)
    while metadata != 0, depth < 64, let type = memory.value(at: metadata, as: cri_class.self),
      type.kind == UInt(CRI_KIND_CLASS.rawValue)
    {
      if place >= UInt(type.instance_size) { return nil }
      if let field = ownField(of: metadata, type, at: place) { return field }
      metadata = UInt(bitPattern: type.superclass)
      depth += 1
    }
    return nil
  }

  private func ownField(
    of metadata: UInt, _ type: cri_class, at place: UInt
  ) -> (name: String, isReference: Bool)? {
    let address = UInt(bitPattern: type.descriptor)
    guard let descriptor = memory.value(at: address, as: cri_descriptor.self),
      let list = memory.target(at: address + UInt(CRI_PLACE_OF_FIELDS.rawValue)),
      let fields = memory.value(at: list, as: cri_fields.self)
    else { return nil }
    var vector = UInt(descriptor.class_.vector)
    // If a superclass is resilient, the offset of the vector counts from this class's first member.
    if descriptor.flags & CRI_CLASS_HAS_RESILIENT_SUPERCLASS.rawValue != 0 {
      guard let words = immediateWords(of: descriptor, at: address) else { return nil }
      vector += words
    }
    let count = min(fields.count, descriptor.class_.field_count, 1024)
    let offsets = (0..<UInt(count)).map { memory.word(at: metadata + 8 * (vector + $0)) ?? .max }
    guard let index = offsets.lastIndex(where: { $0 <= place && $0 >= 16 }) else { return nil }
    let record = list + UInt(MemoryLayout<cri_fields>.size + index * MemoryLayout<cri_field>.size)
    let name = memory.target(at: record + 8).flatMap(memory.text) ?? "?"
    let prefix = "$__lazy_storage_$_"
    let words = memory.target(at: record + 4).flatMap(words(ofType:))
    return (
      name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name,
      words?.reference.map { offsets[index] + 8 * $0 } == place
    )
  }

  // MARK: References

  /// Returns whether the types of a closure's captures say that the word at an offset in its
  /// context is a reference.
  func isReference(inClosure metadata: UInt, at place: UInt) -> Bool {
    guard let context = memory.value(at: metadata, as: cri_context.self),
      let captures = captures(of: context)
    else { return false }
    var offset = UInt(context.first_offset) + 8 * UInt(captures.head.binding_count)
    for name in captures.names {
      // Without this capture's size, the offsets of the following captures are unknown too.
      guard let words = name.flatMap(words(ofType:)) else { return false }
      if words.reference.map({ offset + 8 * $0 }) == place { return true }
      offset += 8 * words.count
    }
    return false
  }

  /// Returns whether the value in a box is a reference, which is at an offset in the box.
  func isReference(inBox metadata: UInt, at place: UInt) -> Bool {
    guard let box = memory.value(at: metadata, as: cri_box.self), place == UInt(box.offset) else {
      return false
    }
    var type = UInt(bitPattern: box.type)
    if memory.word(at: type) == UInt(CRI_KIND_OPTIONAL.rawValue) {
      type = memory.word(at: type + 16) ?? 0
    }
    return memory.word(at: type) == UInt(CRI_KIND_CLASS.rawValue)
  }

  /// Returns the number of words of a value, and the index of the word that is a reference; nil if
  /// the mangled name of its type does not show that.
  private func words(ofType name: UInt) -> (count: UInt, reference: UInt?)? {
    var shape = shape(ofName: name)
    if shape.hasSuffix("Xb") || shape.hasSuffix("_Xx") { return (1, 0) }
    if ["Xw", "Xo", "Xu"].contains(where: shape.hasSuffix) { return (1, nil) }
    if shape.hasSuffix("Sg") { shape.removeLast(2) }
    switch shape {
    case "Si", "Su": return (1, nil)
    case "SS": return (2, 1)
    case Self.classMark, "yXl": return (1, 0)
    default: break
    }
    let generics = [Self.classMark + "y", "Say", "SDy", "Shy"]
    if shape.hasSuffix("G") && generics.contains(where: shape.hasPrefix) { return (1, 0) }
    if shape.hasSuffix("c") && !shape.hasSuffix("Xc") { return (2, 1) }
    // A lowered function ends in "I", its attributes and "_"; B and C mark blocks and C functions.
    guard shape.hasSuffix("_"), let start = shape.lastIndex(of: "I") else { return nil }
    let isFunction = shape[start...].dropLast().allSatisfy { $0.isLetter && !"BC".contains($0) }
    return isFunction ? (2, 1) : nil
  }

  private static let (classMark, typeMark) = ("\u{1}", "\u{2}")

  /// Returns a mangled name with a mark instead of each reference to a type.
  private func shape(ofName name: UInt) -> String {
    var (shape, name) = ("", name)
    while shape.utf8.count < 512, let byte = memory.value(at: name, as: UInt8.self), byte != 0 {
      switch byte {
      case 0x01...0x1f:
        shape += isClass(at: name) ? Self.classMark : Self.typeMark
        name += byte < 0x18 ? 5 : 9
      default:
        shape.unicodeScalars.append(UnicodeScalar(byte))
        name += 1
      }
    }
    return shape
  }

  /// Returns whether the symbol at an address in a mangled name refers to a class.
  private func isClass(at symbol: UInt) -> Bool {
    let isIndirect = memory.value(at: symbol, as: UInt8.self) == 2
    guard isIndirect || memory.value(at: symbol, as: UInt8.self) == 1,
      let target = memory.target(at: symbol + 1),
      let descriptor = isIndirect ? memory.word(at: target) : target,
      let flags = memory.value(at: descriptor, as: UInt32.self)
    else { return false }
    return flags & 0x1f == CRI_DESCRIPTOR_CLASS.rawValue
  }

  // MARK: Kinds of types

  private func name(ofType metadata: UInt, depth: Int) -> String {
    guard depth < Self.deepest, metadata != 0, metadata % 8 == 0,
      let kind = memory.word(at: metadata)
    else { return Self.unknown }
    func name(at place: UInt) -> String {
      memory.word(at: metadata + place).map { self.name(ofType: $0, depth: depth + 1) }
        ?? Self.unknown
    }
    switch UInt32(truncatingIfNeeded: kind) {
    case CRI_KIND_CLASS.rawValue: return nameOfClass(metadata, depth)
    case CRI_KIND_STRUCT.rawValue, CRI_KIND_ENUM.rawValue, CRI_KIND_OPTIONAL.rawValue:
      guard let descriptor = memory.word(at: metadata + 8) else { return Self.unknown }
      return self.name(ofContext: descriptor, argumentsAt: metadata + 16, depth)
    case CRI_KIND_TUPLE.rawValue: return nameOfTuple(metadata, depth)
    case CRI_KIND_FUNCTION.rawValue: return nameOfFunction(metadata, depth)
    case CRI_KIND_EXISTENTIAL.rawValue: return nameOfExistential(metadata)
    case CRI_KIND_METATYPE.rawValue: return name(at: 8) + ".Type"
    default: return Self.unknown
    }
  }

  private func nameOfClass(_ metadata: UInt, _ depth: Int) -> String {
    guard let type = memory.value(at: metadata, as: cri_class.self) else { return Self.unknown }
    let descriptor = UInt(bitPattern: type.descriptor)
    guard let own = memory.value(at: descriptor, as: cri_descriptor.self),
      let words = immediateWords(of: own, at: descriptor)
    else { return Self.unknown }
    return name(ofContext: descriptor, argumentsAt: metadata + 8 * words, depth)
  }

  /// Returns the offset, in words, of a class's own members in its metadata.
  private func immediateWords(of descriptor: cri_descriptor, at address: UInt) -> UInt? {
    if descriptor.flags & CRI_CLASS_HAS_RESILIENT_SUPERCLASS.rawValue != 0 {
      let place = address + UInt(CRI_PLACE_OF_BOUNDS.rawValue)
      return memory.target(at: place).flatMap(memory.word).map { $0 / 8 }
    }
    if descriptor.flags & CRI_CLASS_HAS_NEGATIVE_MEMBERS.rawValue != 0 { return 0 }
    let (positive, immediate) = (
      descriptor.class_.positive_words, descriptor.class_.immediate_count
    )
    return positive >= immediate ? UInt(positive - immediate) : nil
  }

  private func nameOfTuple(_ metadata: UInt, _ depth: Int) -> String {
    guard let count = memory.word(at: metadata + 8), count <= 64 else { return Self.unknown }
    let labels = memory.word(at: metadata + 16).flatMap { $0 == 0 ? "" : memory.text(at: $0) } ?? ""
    let named = labels.split(separator: " ", omittingEmptySubsequences: false)
    let parts = (0..<count).map { index in
      let type =
        memory.word(at: metadata + 24 + 16 * index)
        .map { name(ofType: $0, depth: depth + 1) } ?? Self.unknown
      let label = Int(index) < named.count ? named[Int(index)] : ""
      return label.isEmpty ? type : "\(label): \(type)"
    }
    return "(\(parts.joined(separator: ", ")))"
  }

  private func nameOfFunction(_ metadata: UInt, _ depth: Int) -> String {
    guard let flags = memory.word(at: metadata + 8), flags & 0xffff <= 64 else {
      return Self.unknown
    }
    let types = (0...(flags & 0xffff)).map { index in
      memory.word(at: metadata + 16 + 8 * index).map { name(ofType: $0, depth: depth + 1) }
        ?? Self.unknown
    }
    let (isSendable, isAsync, isThrowing) =
      (flags & 0x4000_0000 != 0, flags & 0x2000_0000 != 0, flags & 0x100_0000 != 0)
    return (isSendable ? "@Sendable " : "") + "(\(types.dropFirst().joined(separator: ", ")))"
      + (isAsync ? " async" : "") + (isThrowing ? " throws" : "") + " -> \(types[0])"
  }

  private func nameOfExistential(_ metadata: UInt) -> String {
    guard let head = memory.value(at: metadata, as: cri_existential.self), head.protocol_count <= 16
    else { return Self.unknown }
    // A superclass precedes the protocols.
    let hasSuperclass = head.flags & 0x4000_0000 != 0
    let first = metadata + UInt(MemoryLayout<cri_existential>.size) + (hasSuperclass ? 8 : 0)
    let names = (0..<UInt(head.protocol_count)).map { index in
      memory.word(at: first + 8 * index).map { name(ofContext: $0) } ?? Self.unknown
    }
    if !names.isEmpty { return names.joined(separator: " & ") }
    return head.flags & 0x8000_0000 == 0 ? "Swift.AnyObject" : "Any"
  }

  // MARK: Contexts

  /// Returns the name of a type, a protocol or a module without generic arguments.
  func name(ofContext descriptor: UInt) -> String {
    name(ofContext: descriptor, arguments: [], 0)
  }

  private func name(ofContext descriptor: UInt, argumentsAt place: UInt, _ depth: Int) -> String {
    let count = parameters(of: descriptor).count { $0 != 0 }
    let arguments = (0..<UInt(count)).map { index in
      memory.word(at: place + 8 * index).map { name(ofType: $0, depth: depth + 1) } ?? Self.unknown
    }
    return name(ofContext: descriptor, arguments: arguments, depth)
  }

  /// Returns the name of a context, after the names of the contexts that enclose it. `arguments`
  /// are the known arguments of the generic parameters of all these contexts, the outermost first.
  func name(ofContext descriptor: UInt, arguments: [String], _ depth: Int = 0) -> String {
    guard depth < Self.deepest, let flags = memory.value(at: descriptor, as: UInt32.self) else {
      return Self.unknown
    }
    let parent = memory.indirectableTarget(at: descriptor + 4)
    let own = memory.target(at: descriptor + 8).flatMap(memory.text) ?? Self.unknown
    switch flags & 0x1f {
    case CRI_DESCRIPTOR_MODULE.rawValue: return own
    case CRI_DESCRIPTOR_EXTENSION.rawValue:
      let extended = memory.target(at: descriptor + 8).flatMap {
        MangledName(at: $0, memory, self).text
      }
      let module = parent.map { name(ofContext: $0) } ?? Self.unknown
      return "(extension in \(module)):\(extended ?? Self.unknown)"
    case CRI_DESCRIPTOR_ANONYMOUS.rawValue:
      return parent.map { name(ofContext: $0, arguments: arguments, depth + 1) } ?? Self.unknown
    default: break
    }
    let outer = parent.map { parameters(of: $0).count { $0 != 0 } } ?? 0
    let ownArguments = arguments.dropFirst(outer)
    let prefix = parent.map {
      name(ofContext: $0, arguments: Array(arguments.prefix(outer)), depth + 1) + "."
    }
    return (prefix ?? "") + own
      + (ownArguments.isEmpty ? "" : "<\(ownArguments.joined(separator: ", "))>")
  }

  /// Returns a byte for each generic parameter of a context and of the contexts that enclose it; 0
  /// for a parameter without an argument in the metadata.
  private func parameters(of descriptor: UInt) -> [UInt8] {
    guard let flags = memory.value(at: descriptor, as: UInt32.self), flags & 0x80 != 0 else {
      return []
    }
    let place: UInt
    switch flags & 0x1f {
    // In a type, two more relative addresses precede the numbers of the parameters.
    case CRI_DESCRIPTOR_CLASS.rawValue: place = UInt(CRI_END_OF_CLASS.rawValue) + 8
    case CRI_DESCRIPTOR_STRUCT.rawValue, CRI_DESCRIPTOR_ENUM.rawValue:
      place = UInt(CRI_END_OF_VALUE.rawValue) + 8
    case CRI_DESCRIPTOR_EXTENSION.rawValue: place = 12
    case CRI_DESCRIPTOR_ANONYMOUS.rawValue: place = 8
    default: return []
    }
    let head = descriptor + place
    guard let count = memory.value(at: head, as: UInt16.self), count <= 32 else { return [] }
    return (0..<UInt(count)).map { index in
      let parameter = memory.value(at: head + 8 + index, as: UInt8.self) ?? 0
      // 0x80: the parameter is a type, and the metadata has an argument for it, one word. No other
      // kind has that, and neither has a type that other arguments determine.
      return parameter == 0x80 ? parameter : 0
    }
  }
}
