/// A view model and the controller it was bound to, if any, both held weakly, and what became of the binding.
struct BindingPair: Sendable {
  /// The addresses of the two. Those of dead ones may be others' by now.
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
  /// Whether it was ever bound while it was bound.
  private(set) var isDoublyBound = false
  /// Whether a sweep has found both dead, and the binding not undone.
  var wasFoundDead = false

  init(_ viewModel: AnyObject, _ controller: AnyObject?, name: String?, site: CallSite) {
    self.viewModel = Party(viewModel)
    self.controller = controller.map { Party($0) }
    self.name = name
    self.site = site
  }

  /// Whether it is that of these two, whom the caller keeps alive. May be asked under a lock.
  func refers(to viewModel: AnyObject, _ controller: AnyObject?) -> Bool {
    guard self.viewModel.life.refers(to: viewModel) else { return false }
    guard let controller else { return true }
    return self.controller?.life.refers(to: controller) ?? false
  }

  /// `refers` for those who may be in the `deinit` of one of the two.
  func isThat(of viewModel: AnyObject, _ controller: AnyObject?) -> Bool {
    guard self.viewModel.life.isThat(of: viewModel) else { return false }
    guard let controller else { return true }
    return self.controller?.life.isThat(of: controller) ?? false
  }

  mutating func bind() {
    isDoublyBound = isDoublyBound || isBound
    isBound = true
  }

  /// Returns whether it was bound.
  mutating func unbind() -> Bool {
    defer { isBound = false }
    return isBound
  }

  /// Whether neither of the two lives. To be asked outside exclusions, as `record`.
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
