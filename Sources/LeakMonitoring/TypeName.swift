/// The names of classes in reports.
package enum TypeName {
  /// The name alone.
  package static func short(_ type: AnyClass) -> String { String(describing: type) }

  /// The name with its module and outer types. A private or local type's has in it the address of what
  /// surrounds it, which differs in every run; that is left out.
  package static func stable(_ type: AnyClass) -> String {
    withoutAddresses(String(reflecting: type))
  }

  /// `name` without the parts such as "(unknown context at $7f12ab).".
  static func withoutAddresses(_ name: String) -> String {
    var parts = name.split(separator: "(unknown context at $", omittingEmptySubsequences: false)
    for index in parts.indices.dropFirst() {
      parts[index] = parts[index].drop { $0 != "." }.dropFirst()
    }
    return parts.joined()
  }
}
