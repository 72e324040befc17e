import Primitives

/// A key and its value in a bucket's chain; immutable once published.
///
/// A *claimed* node marks that an `update` of its key is running: the value is the one before it, or nil
/// if the key was absent.
struct ChainNode<Key: Hashable, Value> {
  typealias Pointer = UnsafeMutablePointer<ChainNode>

  let key: Key
  let hash: Int
  let value: Value?
  let isClaimed: Bool
  var next: Pointer?

  static func make(
    _ key: Key, hash: Int, value: Value?, isClaimed: Bool = false, next: Pointer? = nil
  ) -> Pointer {
    let node = NodeMemory.allocate(ChainNode.self)
    node.writing().initialize(
      to: ChainNode(key: key, hash: hash, value: value, isClaimed: isClaimed, next: next))
    return node
  }

  /// Ends the life of one node.
  static func destroy(_ node: Pointer) {
    node.writing().deinitialize(count: 1)
    NodeMemory.deallocate(node)
  }

  /// Ends the life of the nodes from `first` up to, not including, `end`.
  static func destroy(from first: Pointer?, upTo end: Pointer? = nil) {
    forEach(from: first, upTo: end) { destroy($0) }
  }

  static func forEach(from first: Pointer?, upTo end: Pointer? = nil, _ body: (Pointer) -> Void) {
    var next = first
    while let node = next, node != end {
      next = node.reading().pointee.next
      body(node)
    }
  }

  static func find(_ key: Key, hash: Int, from first: Pointer?) -> Pointer? {
    var next = first
    while let node = next?.reading() {
      if node.pointee.hash == hash && node.pointee.key == key { return node }
      next = node.pointee.next
    }
    return nil
  }

  /// A chain like the one from `first`, with `replacement` in the place of `old`, and in front when
  /// there is no `old`. What stood before `old` is copied, what stands behind it is shared.
  static func chain(
    from first: Pointer?, replacing old: Pointer?, by replacement: Pointer?
  ) -> Pointer? {
    let rest = old.map { $0.reading().pointee.next } ?? first
    var chain = rest
    if let replacement {
      replacement.writing().pointee.next = rest
      chain = replacement
    }
    guard let old, !Defect.neighboursLost.isPlanted else { return chain }
    forEach(from: first, upTo: old) { chain = copy($0, next: chain) }
    return chain
  }

  static func copy(_ node: Pointer, next: Pointer?) -> Pointer {
    let node = node.reading().pointee
    return make(node.key, hash: node.hash, value: node.value, isClaimed: node.isClaimed, next: next)
  }
}
