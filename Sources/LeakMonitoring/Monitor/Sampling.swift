import Primitives
import WeakCollections

/// Which instances a monitor records, with their time, place and backtrace, for reports to list.
///
/// The monitor counts all instances, whatever the sampling. Most of the cost of a record is its
/// backtrace; the first of each thread reads the program's symbols, which takes longer for larger
/// programs. `MemoryLeakMonitor.cost` has the total. Of each class at most 64 validated objects are
/// recorded at a time, including dead ones that were not noticed yet.
public struct Sampling: Sendable, Equatable {
  /// One instance in so many is recorded; 0 for none.
  public let interval: Int
  /// The maximum number of records per second; nil for no limit. Further instances are only
  /// counted.
  public let cap: Int?

  /// Creates a sampling; traps if `interval` or `cap` is negative or above 2³¹.
  ///
  /// A backtrace follows frame pointers, which all Swift code has. Code in another language that
  /// calls back into Swift, and was compiled to use that register for something else, may crash it:
  /// sample none there.
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
  /// Which instances are recorded for reports to list; `.standard` unless changed. Takes effect for
  /// the next instances.
  public var sampling: Sampling {
    get { observations.sampler.sampling }
    set { observations.sampler.sampling = newValue }
  }

  /// `sampling` of the current monitor.
  public static var sampling: Sampling {
    get { current.sampling }
    set { current.sampling = newValue }
  }

  /// The cost of the monitor itself so far.
  ///
  /// - Complexity: O(*n*) in the classes with tokens.
  public var cost: MonitorCost { observations.cost }
}

/// Decides which instances are recorded, without a lock.
final class Sampler: Sendable {
  /// The interval in the upper half; in the lower half the cap plus one, or 0 for no cap.
  private let settings: Atomic<UInt64>
  /// The second in the upper half; in the lower half the number admitted in it.
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

  /// Whether the sample includes instance `number`, from 1.
  @inline(__always)
  func selects(_ number: Int) -> Bool {
    // Relaxed: a setting alone.
    let interval = Int(settings.load(ordering: .relaxed) >> 32)
    return interval == 1 || interval > 1 && number % interval == 1
  }

  /// Returns whether one more may be recorded in the second of `now`, and counts it.
  func admits(at now: Duration) -> Bool {
    guard let cap = sampling.cap else { return true }
    let second = UInt64(UInt32(truncatingIfNeeded: now.components.seconds)) << 32
    // Relaxed, all: threads agree on this word alone; each compare-exchange adds one admission.
    var seen = window.load(ordering: .relaxed)
    while true {
      // A thread that arrives late from an earlier second counts in this one.
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

/// Captures backtraces.
enum StackCapture {
  /// Returns the calls around the caller; nil where the platform has no backtraces.
  ///
  /// - Complexity: O(*n*) in the calls. The first call in a process also reads the list of loaded
  ///   images, and the first of each thread the symbols of the images that the calls are in.
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
  /// The images that the process has loaded, cached: reading them costs a hundred backtraces.
  @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
  enum LoadedImages {
    private static let map = MutexLock(ImageMap.capture())

    static var current: ImageMap { map.read { copy $0 } }

    /// Returns the images that contain the calls of `backtrace`; reads them again if an address is
    /// in no known image.
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

  /// The text of a captured backtrace.
  @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
  enum FrameLines {
    /// Returns a line for each call, without the monitor's own calls and the compiler's thunks.
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

    /// Whether a function belongs to this module or to the runtime that captures: mangled names
    /// start with the module.
    private static func isOwn(_ mangled: String) -> Bool {
      let name = mangled.drop { $0 == "_" }
      return ["$s14LeakMonitoring", "$s7Runtime"].contains { name.hasPrefix($0) }
    }
  }
#endif
