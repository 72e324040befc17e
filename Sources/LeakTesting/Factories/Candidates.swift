import RuntimeInspection

/// The classes among which are those that are to have a factory.
struct Candidates {
  let classes: DeclaredClasses
  /// The modules that were named and declare no class.
  let emptyModules: Set<String>

  init(registered types: [AnyClass]) {
    self.init(classes: DeclaredClasses(registered: types), emptyModules: [])
  }

  /// The classes of `modules`; where there is no telling which these are, those that were `registered`.
  init(
    in modules: Set<String>, or registered: [AnyClass]?,
    capability: RuntimeCapability = DeclaredClasses.capability
  ) throws(ClassesUnavailable) {
    if let registered, capability != .available {
      self.init(registered: registered)
    } else {
      let classes = try DeclaredClasses(in: modules, capability: capability)
      self.init(classes: classes, emptyModules: modules.subtracting(classes.modules))
    }
  }

  private init(classes: DeclaredClasses, emptyModules: Set<String>) {
    self.classes = classes
    self.emptyModules = emptyModules
  }
}
