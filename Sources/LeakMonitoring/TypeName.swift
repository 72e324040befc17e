import RuntimeInspection

/// The names of classes in reports.
package enum TypeName {
  /// The name alone.
  package static func short(_ type: AnyClass) -> String { String(describing: type) }

  /// The name with its module and outer types. A private or local type's has in it the address of what
  /// surrounds it, which differs in every run; that is left out.
  package static func stable(_ type: AnyClass) -> String {
    nameWithoutAddresses(String(reflecting: type))
  }
}
