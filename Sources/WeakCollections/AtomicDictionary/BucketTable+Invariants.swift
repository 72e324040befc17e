extension BucketTable {
  /// Traps unless every node is in the bucket of its hash and no key is in two nodes; to be called under
  /// a pin.
  ///
  /// Each bucket is looked at as it is when its turn comes, which is enough: it holds at every moment.
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants() {
    #if InternalChecks
      for index in 0..<bucketCount {
        var keys: Set<Key> = []
        Node.forEach(from: bucket(at: index).pointee.load().first) { node in
          precondition(
            node.pointee.hash & (bucketCount - 1) == index, "a node is in the bucket of its hash")
          precondition(keys.insert(node.pointee.key).inserted, "a key is in one node")
        }
      }
    #endif
  }
}
