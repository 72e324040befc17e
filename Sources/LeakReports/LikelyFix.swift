/// A likely fix of a leak: the reference of the retain path to change, and the change.
///
/// It is a guess from the names of the fields and from the kinds of the references, by these rules:
///
/// 1. A running task is on the path: the task must end, or hold its objects weakly.
/// 2. A cycle has a field with the name of a back reference, such as `delegate` or `parent`: the
///    field must be weak.
/// 3. A cycle has a closure: its capture must be weak.
/// 4. A cycle consists of fields only, and collections or names show that the other fields own
///    their objects: the field that leads back to the object must be weak.
/// 5. There is no cycle: only the last reference of the path may be wrong. It may be a back
///    reference, the capture of a closure, or the element of a collection, from which the object
///    must be removed.
///
/// A fix makes a reference weak only if a type describes the reference, and if `weak` can be
/// written for it: the place of a reference that was found by scanning memory may be no field and
/// no closure. If no rule applies, there is no likely fix.
public struct LikelyFix: Sendable, Hashable {
  /// The change of a reference.
  public enum Change: String, Sendable, Hashable, CaseIterable {
    /// The property must be `weak` or `unowned`.
    case weakProperty
    /// The collection must hold its elements weakly.
    case weakElements
    /// The closure must capture the object weakly.
    case weakCapture
    /// The task must be canceled, or must not hold the object while it waits.
    case endTask
    /// The object must be removed from the collection.
    case removal
  }

  /// The index of the reference in the `edges` of its path.
  public var edge: Int
  /// The change of the reference.
  public var change: Change
  /// The declaration to change, as in "App.List.delegate" or "the closure in App.Button.onTap".
  public var line: String
  /// The change and the reason for it, in words.
  public var advice: String

  /// The line and the advice, as in "App.List.delegate (declare it weak: …)".
  public var text: String { "\(line) (\(advice))" }
}

extension RetainPath {
  /// The likely line to change; nil if the path gives no reason to prefer one of its references.
  ///
  /// - Complexity: O(*n*) in the number of nodes.
  public var likelyFix: LikelyFix? {
    if let task = nodes.dropLast().lastIndex(where: { $0.typeName == "task" }) {
      return endOfTask(at: task)
    }
    switch origin {
    // No earlier node is named "task", so the path does not show which reference to change.
    case .runningTask: return nil
    case .cycle: return fixOfCycle
    case .root: return fixOfLastStep
    }
  }

  /// The likely line to change if the number of objects like this one grows: the last reference of
  /// the path, or else `likelyFix`.
  ///
  /// Each new object is held by a new last reference, while the rest of the path may exist since
  /// the program started.
  ///
  /// - Complexity: O(*n*) in the number of nodes.
  public var likelyFixOfGrowth: LikelyFix? {
    origin == .cycle ? likelyFix : fixOfLastStep ?? likelyFix
  }

  private var subject: String { nodes[nodes.count - 1].typeName }
}

// MARK: - Tasks and roots

extension RetainPath {
  private func endOfTask(at index: Int) -> LikelyFix {
    let held = nodes[(index + 1)...].first { isObject($0) }?.typeName ?? subject
    let property = index > 0 ? declaration(before: index - 1) : nil
    return LikelyFix(
      edge: index, change: .endTask,
      line: property.map { "the task in \($0)" } ?? "the task that uses \(held)",
      advice:
        "cancel it, or hold \(held) weakly while it waits: a task holds what it uses until it "
        + "ends, and a loop over an endless sequence never ends")
  }

  /// Returns the fix of the last reference, which leads to the object; the earlier ones may be
  /// correct.
  private var fixOfLastStep: LikelyFix? {
    guard let last = edges.indices.last else { return nil }
    if let capture = captures.last, isLastStep(capture) { return weakCapture(at: capture) }
    let field = FieldLabel(edges[last].label)
    guard isField(last) else { return nil }
    if let rank = field.backReference, rank >= .always, canBeWeak(last) {
      return weakField(at: last, named: field)
    }
    guard field.isElement else { return nil }
    return LikelyFix(
      edge: last, change: .removal, line: declaration(at: last),
      advice: "remove each object there that is no longer needed: the collection holds its elements"
    )
  }

  /// Returns whether only captured variables separate a capture from the end of the path.
  private func isLastStep(_ capture: Int) -> Bool {
    nodes[(capture + 1)..<(nodes.count - 1)].allSatisfy { $0.typeName == "captured variable" }
  }
}

// MARK: - Cycles

extension RetainPath {
  private var fixOfCycle: LikelyFix? {
    let fields = edges.indices.filter(canBeWeak)
    let named = fields.map { ($0, FieldLabel(edges[$0].label).backReference) }
    func lastField(_ rank: FieldLabel.BackReference) -> Int? {
      named.last { index, found in found == rank && !isHelper(index) }?.0
    }
    if let field = lastField(.delegate) ?? lastField(.always) {
      return weakField(at: field, named: FieldLabel(edges[field].label))
    }
    if let capture = captures.last { return weakCapture(at: capture) }
    if let field = named.last(where: { $0.1 != nil })?.0 {
      return weakField(at: field, named: FieldLabel(edges[field].label))
    }
    return fixByOwnership(fields)
  }

  /// Returns whether a field and its class are both named after a delegate, as in `sessionDelegate:
  /// SessionDelegate`, and the path has a capture to change instead. The owner of such a field
  /// often owns the delegate.
  private func isHelper(_ index: Int) -> Bool {
    FieldLabel(edges[index].label).backReference == .delegate
      && nodes[index + 1].typeName.lowercased().contains("delegate") && !captures.isEmpty
  }

  /// Returns the fix of a cycle in which no field has the name of a back reference.
  private func fixByOwnership(_ fields: [Int]) -> LikelyFix? {
    guard fields.count == edges.count else { return nil }
    let single = fields.filter { !FieldLabel(edges[$0].label).isElement }
    if Set(single.map { declaration(at: $0) }).count == 1, let field = single.last {
      let isOnly = single.count == fields.count
      return weakField(
        at: field,
        because: isOnly
          ? "it is the only reference of the cycle"
          : "it leads back to the owner of a collection that holds its own object")
    }
    // The field that leads back is named after a role; the others are named after their types.
    let roles = single.filter { !isNamedAsItsType($0) }
    guard roles == [edges.count - 1] else { return nil }
    return weakField(
      at: roles[0], because: "it leads back to the object, and names a role instead of a component")
  }

  private func isNamedAsItsType(_ index: Int) -> Bool {
    let type = nodes[index + 1].typeName.prefix { $0 != "<" }.split(separator: ".").last ?? ""
    let name = FieldLabel(edges[index].label).name.lowercased()
    return !name.isEmpty && type.lowercased().hasSuffix(name)
  }
}

// MARK: - Fixes

extension RetainPath {
  private func weakField(at index: Int, named field: FieldLabel) -> LikelyFix {
    weakField(
      at: index,
      because: "`\(field.backName)` names a back reference, which should not own its object")
  }

  private func weakField(at index: Int, because reason: String) -> LikelyFix {
    let isElement = FieldLabel(edges[index].label).isElement
    return LikelyFix(
      edge: index, change: isElement ? .weakElements : .weakProperty, line: declaration(at: index),
      advice: "\(isElement ? "hold its elements weakly" : "declare it weak"): \(reason)")
  }

  private func weakCapture(at index: Int) -> LikelyFix {
    let captured = nodes[(index + 1)...].first { isObject($0) }?.typeName ?? subject
    let property = index > 0 ? declaration(before: index - 1) : nil
    return LikelyFix(
      edge: index, change: .weakCapture,
      line: property.map { "the closure in \($0)" } ?? "the closure that captures \(captured)",
      advice: "capture \(captured) weakly: a stored closure holds its captures")
  }

  /// The edges from a closure to an object, or to a captured variable that holds one.
  private var captures: [Int] {
    edges.indices.filter { index in
      nodes[index].typeName == "closure" && !edges[index].isProbable
        && (index == 0 || !edges[index - 1].isProbable)
        && (isObject(nodes[index + 1]) || nodes[index + 1].typeName == "captured variable")
    }
  }

  private func isObject(_ node: Node) -> Bool {
    !["closure", "captured variable", "task", "error", "memory", "…"].contains(node.typeName)
  }

  /// Returns whether an edge is a field of an object.
  private func isField(_ index: Int) -> Bool {
    isObject(nodes[index]) && edges[index].label.hasPrefix(".")
  }

  /// Returns whether an edge is a field of an object for which `weak` can be written, or a
  /// collection whose elements can be weak.
  private func canBeWeak(_ index: Int) -> Bool {
    let edge = edges[index]
    return isField(index) && isObject(nodes[index + 1]) && !edge.isProbable
      && (!edge.isPayload || FieldLabel(edge.label).isElement)
  }

  private func declaration(at index: Int) -> String {
    nodes[index].typeName + FieldLabel(edges[index].label).text
  }

  /// Returns the declaration of the last field at or before an edge, skipping edges from closures,
  /// captured variables and other nodes that are not objects; nil if the last object on the way has
  /// no field there.
  private func declaration(before index: Int) -> String? {
    var index = index
    while index > 0, !isObject(nodes[index]) { index -= 1 }
    return isField(index) ? declaration(at: index) : nil
  }
}

/// The name of a field of a class, from the label of an edge such as ".state.loaded.0".
private struct FieldLabel {
  /// How reliably a name indicates a back reference.
  enum BackReference: Int, Comparable {
    /// The name indicates one in many programs, as `observer` does.
    case sometimes
    /// The name indicates one in nearly all programs, as `parent` does.
    case always
    /// The name indicates one by convention: `delegate` or `dataSource`.
    case delegate

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  private static let names: [String: BackReference] = [
    "delegate": .delegate, "datasource": .delegate,
    "parent": .always, "owner": .always, "superview": .always, "superlayer": .always,
    "coordinator": .always, "previous": .always, "prev": .always, "enclosing": .always,
    "observer": .sometimes, "listener": .sometimes, "target": .sometimes, "host": .sometimes,
    "root": .sometimes, "outer": .sometimes,
  ]

  /// The label without the marks of elements, `[x]`.
  let text: String
  /// The last name of the label.
  let name: String
  /// Whether the label ends in an element of a collection.
  let isElement: Bool
  private let parts: [Substring]

  init(_ label: String) {
    text = label.replacing("[x]", with: "")
    // Numbers are positions in the payload of an enum's case or in a tuple.
    parts = text.split(separator: ".").filter { $0.first?.isNumber != true }
    name = parts.last.map(String.init) ?? ""
    let tail = label.split(separator: ".").last { $0.first?.isNumber != true }
    isElement = tail?.hasSuffix("[x]") == true
  }

  var backReference: BackReference? { parts.compactMap(Self.rank).max() }

  /// The last name in the label that has the rank `backReference`, or else its last name.
  var backName: String {
    parts.last { Self.rank($0) != nil && Self.rank($0) == backReference }.map(String.init) ?? name
  }

  /// Returns the highest rank of the words of a name, and of its pairs of adjacent words; each may
  /// be in the plural.
  private static func rank(_ name: Substring) -> BackReference? {
    let words = words(of: name)
    let pairs = zip(words, words.dropFirst()).map { $0 + $1 }
    return (words + pairs).compactMap { word in
      names[word] ?? (word.hasSuffix("s") ? names[String(word.dropLast())] : nil)
    }.max()
  }

  /// Returns the words of a name such as `_scrollDelegate` in lower case.
  private static func words(of name: Substring) -> [String] {
    var words: [String] = []
    var isAfterLowercase = false
    for character in name {
      if character == "_" {
        isAfterLowercase = false
        words.append("")
        continue
      }
      if words.isEmpty || character.isUppercase && isAfterLowercase { words.append("") }
      words[words.count - 1] += character.lowercased()
      isAfterLowercase = !character.isUppercase
    }
    return words.filter { !$0.isEmpty }
  }
}
