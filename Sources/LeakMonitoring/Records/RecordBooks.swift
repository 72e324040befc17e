import WeakCollections

/// The records of all classes of which objects were validated.
final class RecordBooks: Sendable {
  private let books = MutexLock<[ObjectIdentifier: InstanceRecords]>([:])

  func book(of type: AnyClass) -> InstanceRecords {
    books.write { books in
      let book = books[ObjectIdentifier(type)] ?? InstanceRecords()
      books[ObjectIdentifier(type)] = book
      return book
    }
  }

  func remove(_ object: AnyObject) {
    books.read { $0[ObjectIdentifier(type(of: object))] }?.remove(object)
  }

  func removeAll() {
    // Released outside the lock.
    _ = books.write { books in
      let old = books
      books = [:]
      return old
    }
  }
}
