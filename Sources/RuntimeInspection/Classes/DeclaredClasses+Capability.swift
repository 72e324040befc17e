private final class PrivateProbe {
  final class Nested {}
}

extension DeclaredClasses {
  /// Whether classes can be had from the runtime: if it finds three of this module that are hard to find.
  ///
  /// They are looked for once, when this is asked first.
  public static let capability = capability(finding: probes)

  static func capability(finding probes: [(kind: String, type: AnyClass)]) -> RuntimeCapability {
    guard let module = DeclaredClass(PrivateProbe.self).module, let found = found(in: [module])
    else {
      return .unavailable("the runtime does not say where types are")
    }
    for probe in probes where !found.contains(where: { $0.type == probe.type }) {
      return .unavailable("of the module \(module), a \(probe.kind) class is not found")
    }
    return .available
  }

  private static var probes: [(kind: String, type: AnyClass)] {
    final class LocalProbe {}
    return [
      ("private", PrivateProbe.self), ("nested", PrivateProbe.Nested.self),
      ("local", LocalProbe.self),
    ]
  }
}
