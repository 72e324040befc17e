#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// Times as trials give them: never below nothing, now and then far above the rest.
public enum LogNormal {
  /// Drawn by Box and Muller's method; `sigma` is of the logarithm, about the relative deviation.
  public static func trials(
    _ count: Int, median: Double, sigma: Double = 0.05,
    using generator: inout some RandomNumberGenerator
  ) -> [Double] {
    (0..<count).map { _ in
      let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
      let angle = 2 * Double.pi * Double.random(in: 0..<1, using: &generator)
      return median * exp(sigma * radius * cos(angle))
    }
  }
}
