import Primitives
import WeakCollections

/// The choice of the instances that a monitor records, with their time, place and backtrace, so
/// that reports can list them.
///
/// The monitor counts all instances, whichever it records. Most of the cost of a record is its
/// backtrace. The first backtrace of each thread reads the program's symbols, which takes longer
/// for larger programs. `MemoryLeakMonitor.cost` is the total cost so far. A monitor records at
/// most 64 validated objects of each class at a time, including dead ones whose records are not
/// removed yet.
public struct Sampling: Sendable, Equatable {
  /// The interval of the sample: the monitor records one instance in `interval`; 0 for none.
  public let interval: Int
  /// The maximum number of records per second; nil for no limit.
  ///
  /// The monitor counts the instances beyond the cap, but does not record them.
  public let cap: Int?

  /// Creates a sampling.
  ///
  /// The capture of a backtrace follows frame pointers, which all Swift code maintains. Code in
  /// another language that calls back into Swift may use that register for other values; the
  /// capture may then crash the program. Use `.none` in a program with such code.
  ///
  /// - Parameters:
  ///   - interval: The monitor records one instance in `interval`; 0 for none.
  ///   - cap: The maximum number of records per second; nil for no limit.
  /// - Precondition: Both numbers are between 0 and 2³¹.
  public init(oneIn interval: Int, cap: Int? = 1000) {
    guard 0...Self.limit ~= interval && 0...Self.limit ~= cap ?? 0 else {
      fatalError(
        "the interval and the cap of a sampling must be from 0 to \(Self.limit), got \(interval) and "
          + "\(cap.map(String.init) ?? "nil")")
    }
    self.interval = interval
    self.cap = cap
  }

  /// A sampling of every instance, up to a thousand per second.
  public static let all = Sampling(oneIn: 1)
  /// A sampling of no instance.
  public static let none = Sampling(oneIn: 0)

  /// The default: every instance in debug builds and in tests, no instance elsewhere.
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
  /// The choice of the instances that reports can list; the default is `.standard`.
  ///
  /// A change takes effect for instances that are created or validated later.
  public var sampling: Sampling {
    get { observations.sampler.sampling }
    set { observations.sampler.sampling = newValue }
  }

  /// The `sampling` of the current monitor.
  public static var sampling: Sampling {
    get { current.sampling }
    set { current.sampling = newValue }
  }

  /// The overhead of the monitor so far.
  ///
  /// - Complexity: O(*n*) in the number of classes with tokens.
  public var cost: MonitorCost { observations.cost }
}

/// The selection of the instances that a monitor records, without a lock.
final class Sampler: Sendable {
  /// The interval in the upper half. The lower half has the cap plus one, or 0 for no cap.
  private let settings: Atomic<UInt64>
  /// The current second in the upper half. The lower half has the number of records in that second.
  private let window = Atomic<UInt64>(0)

  init(_ sampling: Sampling) {
    settings = Atomic(Self.word(of: sampling))
  }

  var sampling: Sampling {
    // Relaxed, both: all settings are in this one word, which orders no other memory.
    get {
      let word = settings.load(ordering: .relaxed)
      let cap = Int(word & 0xffff_ffff)
      return Sampling(oneIn: Int(word >> 32), cap: cap == 0 ? nil : cap - 1)
    }
    set { settings.store(Self.word(of: newValue), ordering: .relaxed) }
  }

  /// Returns whether the sample includes instance `number`, from 1.
  @inline(__always)
  func selects(_ number: Int) -> Bool {
    // Relaxed: the setting orders no other memory.
    let interval = Int(settings.load(ordering: .relaxed) >> 32)
    return interval == 1 || interval > 1 && number % interval == 1
  }

  /// Returns whether the cap allows one more record in the second of `now`; if so, counts it.
  func admits(at now: Duration) -> Bool {
    guard let cap = sampling.cap else { return true }
    let second = UInt64(UInt32(truncatingIfNeeded: now.components.seconds)) << 32
    // Relaxed, all: threads must agree only on this word, and each successful compare-exchange
    // counts one record in it.
    var seen = window.load(ordering: .relaxed)
    while true {
      // A thread whose `now` is in an earlier second than the window counts in the window's second.
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
  // Imported only to link the C library, which the static library of `Runtime` needs without
  // declaring it.
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif
#endif

/// A source of backtraces.
enum StackCapture {
  /// Returns the calls around the caller; nil on platforms without backtraces.
  ///
  /// - Complexity: O(*n*) in the number of calls. The first backtrace of a process also reads the
  ///   list of loaded images. The first one of each thread reads the symbols of the images that
  ///   contain the calls.
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
  /// The images that the process has loaded, cached because reading them is expensive.
  @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
  enum LoadedImages {
    private static let map = MutexLock(ImageMap.capture())

    static var current: ImageMap { map.read { copy $0 } }

    /// Returns the images that contain the calls of `backtrace`; reads the images again if an
    /// address lies outside the known ones.
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
    /// Returns a line for each call, except those of the monitor itself and the compiler's thunks.
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

    /// Returns whether a function belongs to this module, or to the runtime module that captures
    /// backtraces: a mangled name starts with its module.
    private static func isOwn(_ mangled: String) -> Bool {
      let name = mangled.drop { $0 == "_" }
      return ["$s14LeakMonitoring", "$s7Runtime"].contains { name.hasPrefix($0) }
    }
  }
#endif
