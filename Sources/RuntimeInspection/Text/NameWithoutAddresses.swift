/// `name` without the parts such as "(unknown context at $7f12ab).", which differ in every run.
package func nameWithoutAddresses(_ name: String) -> String {
  var parts = name.split(separator: "(unknown context at $", omittingEmptySubsequences: false)
  for index in parts.indices.dropFirst() {
    parts[index] = parts[index].drop { $0 != "." }.dropFirst()
  }
  return parts.joined()
}
