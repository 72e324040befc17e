/// The state of a binding of a view model to a controller, if it has one, with weak references to
/// both.
struct BindingPair: Sendable {
  /// The addresses of the two objects, which other objects may reuse.
  struct Key: Hashable, Sendable {
    let viewModel: ObjectIdentifier
    let controller: ObjectIdentifier?

    init(_ viewModel: AnyObject, _ controller: AnyObject?) {
      self.viewModel = ObjectIdentifier(viewModel)
      self.controller = controller.map { ObjectIdentifier($0) }
    }
  }

  struct Party: Sendable {
    let typeName: String
    let life: LifeSign

    init(_ object: AnyObject) {
      typeName = TypeName.stable(type(of: object))
      life = LifeSign(object)
    }
  }

  let viewModel: Party
  let controller: Party?
  let name: String?
  let site: CallSite
  private(set) var isBound = true
  /// Whether the pair was ever bound while it was already bound.
  private(set) var isDoublyBound = false
  /// Whether a sweep found both objects dead and the pair still bound.
  var wasFoundDead = false

  init(_ viewModel: AnyObject, _ controller: AnyObject?, name: String?, site: CallSite) {
    self.viewModel = Party(viewModel)
    self.controller = controller.map { Party($0) }
    self.name = name
    self.site = site
  }

  /// Returns whether this is the pair of these two objects, which the caller keeps alive. Safe
  /// under a lock.
  func refers(to viewModel: AnyObject, _ controller: AnyObject?) -> Bool {
    guard self.viewModel.life.refers(to: viewModel) else { return false }
    guard let controller else { return true }
    return self.controller?.life.refers(to: controller) ?? false
  }

  /// Returns whether this is the pair of these two objects, for a caller that may be in the
  /// `deinit` of one of them.
  func isThat(of viewModel: AnyObject, _ controller: AnyObject?) -> Bool {
    guard self.viewModel.life.isThat(of: viewModel) else { return false }
    guard let controller else { return true }
    return self.controller?.life.isThat(of: controller) ?? false
  }

  mutating func bind() {
    isDoublyBound = isDoublyBound || isBound
    isBound = true
  }

  /// Marks the pair as unbound; returns whether it was bound.
  mutating func unbind() -> Bool {
    defer { isBound = false }
    return isBound
  }

  /// Whether both objects are dead. Read this and `record` outside locks: both may promote an
  /// object and release it.
  var isDead: Bool { !viewModel.life.isAlive && !(controller?.life.isAlive ?? false) }

  var record: BindingRecord {
    let (viewModelIsAlive, controllerIsAlive) = (viewModel.life.isAlive, controller?.life.isAlive)
    let state: BindingState =
      switch (isBound, viewModelIsAlive || controllerIsAlive == true) {
      case (true, true): .bound
      case (true, false): .abandoned
      case (false, true): .surviving
      case (false, false): .released
      }
    return BindingRecord(
      state: state, viewModel: viewModel.typeName, controller: controller?.typeName, name: name,
      viewModelIsAlive: viewModelIsAlive, controllerIsAlive: controllerIsAlive ?? false,
      isDoublyBound: isDoublyBound, fileID: "\(site.fileID)", line: Int(site.line))
  }
}
