import Primitives
import WeakCollections

/// Of which instances a monitor notes when, where and by whom they were made, for its reports to list.
///
/// All are counted, whatever this says. Most of what a record costs is its backtrace, of which the first of each
/// thread reads the program's symbols: the longer, the larger its files are. `MemoryLeakMonitor.cost` says what
/// it came to. Of a class at most 64 objects that were validated are recorded at a time, those that died unseen
/// included.
public struct Sampling: Sendable, Equatable {
  /// One in so many; 0 for none.
  public let interval: Int
  /// How many in a second at most; beyond, instances are only counted. Nil for any number.
  public let cap: Int?

  /// Traps if `interval` or `cap` is negative or above 2³¹.
  ///
  /// A backtrace follows frame pointers, which all Swift code has. Code in other languages that calls
  /// Swift back and was compiled to use that register otherwise may crash it: there, sample none.
  public init(oneIn interval: Int, cap: Int? = 1000) {
    precondition(
      0...Self.limit ~= interval && 0...Self.limit ~= cap ?? 0,
      "expected an interval and a cap from 0 to 2^31 for sampling")
    self.interval = interval
    self.cap = cap
  }

  /// Every instance, up to a thousand a second.
  public static let all = Sampling(oneIn: 1)
  /// No instance.
  public static let none = Sampling(oneIn: 0)

  /// Every instance in debug builds and in tests, none elsewhere.
  public static var standard: Sampling {
    #if DEBUG
      .all
    #else
      TestFailures.isTesting ? .all : .none
    #endif
  }

  static let limit = 1 << 31
}

extension MemoryLeakMonitor {
  /// Which instances are recorded for reports to list; `.standard` unless changed. Takes effect for the
  /// next ones.
  public var sampling: Sampling {
    get { observations.sampler.sampling }
    set { observations.sampler.sampling = newValue }
  }

  /// The current monitor's.
  public static var sampling: Sampling {
    get { current.sampling }
    set { current.sampling = newValue }
  }

  /// What the monitor itself has cost so far.
  ///
  /// - Complexity: O(*n*) in the classes with tokens.
  public var cost: MonitorCost { observations.cost }
}

/// Decides which instances are recorded.
final class Sampler: Sendable {
  /// The interval in the upper half; in the lower the cap and one, or 0 for none.
  private let settings: Atomic<UInt64>
  /// The second in the upper half, and how many were admitted in it.
  private let window = Atomic<UInt64>(0)

  init(_ sampling: Sampling) {
    settings = Atomic(Self.word(of: sampling))
  }

  var sampling: Sampling {
    // Relaxed, both: one word, which orders nothing else.
    get {
      let word = settings.load(ordering: .relaxed)
      let cap = Int(word & 0xffff_ffff)
      return Sampling(oneIn: Int(word >> 32), cap: cap == 0 ? nil : cap - 1)
    }
    set { settings.store(Self.word(of: newValue), ordering: .relaxed) }
  }

  /// Whether the instance of that number, from 1, is one of the sample.
  @inline(__always)
  func selects(_ number: Int) -> Bool {
    // Relaxed: a setting alone.
    let interval = Int(settings.load(ordering: .relaxed) >> 32)
    return interval == 1 || interval > 1 && number % interval == 1
  }

  /// Whether one more may be recorded in the second of `now`, which is counted then.
  func admits(at now: Duration) -> Bool {
    guard let cap = sampling.cap else { return true }
    let second = UInt64(UInt32(truncatingIfNeeded: now.components.seconds)) << 32
    // Relaxed, all: the word is all that is agreed on; each addition is of one admission.
    var seen = window.load(ordering: .relaxed)
    while true {
      // Who comes late from an earlier second counts in this one, which stays.
      let current = max(seen & ~0xffff_ffff, second)
      let admitted = current == seen & ~0xffff_ffff ? seen & 0xffff_ffff : 0
      guard admitted < cap else { return false }
      let (exchanged, original) = window.compareExchange(
        expected: seen, desired: current | (admitted + 1), ordering: .relaxed)
      if exchanged { return true }
      seen = original
    }
  }

  private static func word(of sampling: Sampling) -> UInt64 {
    UInt64(sampling.interval) << 32 | UInt64(sampling.cap.map { $0 + 1 } ?? 0)
  }
}

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
