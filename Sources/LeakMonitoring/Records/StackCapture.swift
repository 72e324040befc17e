import WeakCollections

#if canImport(Runtime)
  import Runtime
  // Not for its names: the static library of `Runtime` needs it and does not say so.
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif
#endif

/// Captures who calls.
enum StackCapture {
  /// The calls around the caller; nil where the system cannot tell.
  ///
  /// - Complexity: O(*n*) in the calls; the first of the process also reads which images are loaded, and the first
  ///   of each thread the symbols of those that the calls are in.
  static func backtrace() -> CreationBacktrace? {
    #if canImport(Runtime)
      guard #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) else {
        return nil
      }
      let captured = try? Backtrace.capture(limit: 32, top: 0, images: LoadedImages.current)
      return captured.map { captured in CreationBacktrace { FrameLines.lines(of: captured) } }
    #else
      return nil
    #endif
  }
}

#if canImport(Runtime)
  /// The images that the process has loaded, read once: that takes a hundred times as long as a backtrace.
  @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
  enum LoadedImages {
    private static let map = MutexLock(ImageMap.capture())

    static var current: ImageMap { map.read { copy $0 } }

    /// Those in which all calls of `backtrace` are, as far as they are in any: what was loaded since is
    /// read when an address is in no image that is known.
    static func containing(_ backtrace: Backtrace) -> ImageMap {
      let known = current
      let isKnown = backtrace.frames.allSatisfy {
        known.indexOfImage(at: $0.originalProgramCounter) != nil
      }
      guard !isKnown else { return known }
      let fresh = ImageMap.capture()
      map.write { $0 = fresh }
      return fresh
    }
  }

  /// The text of captured calls.
  @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
  enum FrameLines {
    /// A line for each call but the monitor's own and the compiler's thunks.
    static func lines(of captured: Backtrace) -> [String] {
      let images = LoadedImages.containing(captured)
      guard let symbolicated = captured.symbolicated(with: images) else { return [] }
      return symbolicated.frames.compactMap(\.symbol).filter { symbol in
        !symbol.isSwiftThunk && !isOwn(symbol.rawName)
      }.map(line)
    }

    private static func line(_ symbol: SymbolicatedBacktrace.Symbol) -> String {
      guard let location = symbol.sourceLocation else { return symbol.name }
      let file = location.path.split(separator: "/").last ?? ""
      return "\(symbol.name) at \(file):\(location.line)"
    }

    /// Whether a function is of this module, or of what captures: mangled names begin with the module's.
    private static func isOwn(_ mangled: String) -> Bool {
      let name = mangled.drop { $0 == "_" }
      return ["$s14LeakMonitoring", "$s7Runtime"].contains { name.hasPrefix($0) }
    }
  }
#endif
