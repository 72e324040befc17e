// swift-format-ignore-file
// What the library uses of Foundation, whose module the toolchain has for its own machine alone:
// the functions of C, and names for the files of calibrations, which are not read here.
@_exported import Glibc

public struct Data: Sendable, Hashable, RandomAccessCollection {
  public init(contentsOf: URL) throws { fatalError("no files") }
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(index: Int) -> UInt8 { fatalError("no bytes") }
}
public struct URL: Sendable, Hashable {}
extension Error {
  public var localizedDescription: String { "\(self)" }
}
public final class JSONDecoder {
  public init() {}
  public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError("no JSON") }
}
public final class JSONEncoder {
  public enum OutputFormatting { case prettyPrinted, sortedKeys, withoutEscapingSlashes }
  public init() {}
  public var outputFormatting: [OutputFormatting] = []
  public func encode<T: Encodable>(_ value: T) throws -> Data { fatalError("no JSON") }
}
