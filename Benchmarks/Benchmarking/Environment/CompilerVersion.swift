/// The compiler that built this program, as in the CSV: `swift-6.3.1`.
///
/// The library's own version would be easier to ask for, but names no patch release.
package enum CompilerVersion {
  package static var name: String {
    #if compiler(>=7.0)
      "swift-7-or-later"
    #elseif compiler(>=6.6)
      "swift-6.6-or-later"
    #elseif compiler(>=6.5)
      "swift-6.5"
    #elseif compiler(>=6.4.3)
      "swift-6.4.3-or-later"
    #elseif compiler(>=6.4.2)
      "swift-6.4.2"
    #elseif compiler(>=6.4.1)
      "swift-6.4.1"
    #elseif compiler(>=6.4)
      "swift-6.4"
    #elseif compiler(>=6.3.4)
      "swift-6.3.4-or-later"
    #elseif compiler(>=6.3.3)
      "swift-6.3.3"
    #elseif compiler(>=6.3.2)
      "swift-6.3.2"
    #elseif compiler(>=6.3.1)
      "swift-6.3.1"
    #else
      "swift-6.3"
    #endif
  }
}
