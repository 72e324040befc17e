#if Interleaving
  import Interleaving

  // Double-checked initialization: D. C. Schmidt and T. Harrison, "Double-Checked Locking", Pattern
  // Languages of Program Design 3, 1996. D. Bacon and others, "The 'Double-Checked Locking is
  // Broken' Declaration", 2000, describes the defect.
  //
  //  1. The first use creates the instance under a lock, and publishes it by a releasing store.
  //  2. Later uses load it without the lock. The acquiring load makes its fields visible.
  //
  // The fields are relaxed atomics, because the scheduler does not see plain memory of a subject.
  final class LazyInstance: Structure {
    enum Defect: String {
      case relaxedStore = "the store that publishes the instance is relaxed"
    }

    private final class Instance: Sendable {
      let first = Atomic(0)
      let second = Atomic(0)
    }

    private let defect: Defect?
    private let instances = NodeTable<Instance>()
    /// The number of the instance; 0 before it is published.
    private let published = Atomic(0)
    private let lock = Mutex(())

    init(defect: Defect?) {
      self.defect = defect
    }

    /// The fields of the instance.
    func fields() -> [Int] {
      // Acquiring: pairs with the store in `create`.
      var number = published.load(ordering: .acquiring)
      if number == 0 { number = lock.withLock { _ in create() } }
      let instance = instances[number]
      return [
        instance.first.load(ordering: .relaxed), instance.second.load(ordering: .relaxed),
      ]
    }

    private func create() -> Int {
      // Relaxed: the lock orders it.
      let existing = published.load(ordering: .relaxed)
      if existing != 0 { return existing }
      let instance = Instance()
      instance.first.store(1, ordering: .relaxed)
      instance.second.store(2, ordering: .relaxed)
      let new = instances.add(instance)
      // Releasing: pairs with the load in `fields`.
      published.store(new, ordering: defect == .relaxedStore ? .relaxed : .releasing)
      return new
    }
  }

  struct FieldsCall: Call {
    func perform(on subject: LazyInstance) -> [Int] { subject.fields() }
    func apply(to model: inout [Int]) -> [Int] { model }
  }

  extension Specimen {
    static let lazyInstance = Specimen(
      "double-checked initialization", paper: "Schmidt and Harrison 1996; Bacon and others 2000",
      defect: LazyInstance.Defect.relaxedStore, memory: .storeBuffers,
      CallProgram<FieldsCall>(model: [1, 2], threads: [[FieldsCall()], [FieldsCall()]]),
      drawing: [FieldsCall()])
  }
#endif
