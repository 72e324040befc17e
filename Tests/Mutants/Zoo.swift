import StressTesting

/// The planted bugs that `weakbench stress` can be told to look for.
package enum Zoo: SubjectCatalog {
  package static let subjects: [Subject] = []
}
