// swift-format-ignore-file
// What this package uses of Foundation. What is declared here is not checked.
@_exported import Darwin
@_exported import Dispatch
@_exported import ObjectiveC

public typealias TimeInterval = Double

// MARK: Values

public struct Data: Sendable, Hashable, RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  public struct ReadingOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue } }
  public struct WritingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let atomic = WritingOptions(rawValue: 1)
  }
  public init() {}
  public init(contentsOf: URL, options: ReadingOptions = []) throws {}
  public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {}
  public init(bytes: UnsafeRawPointer, count: Int) {}
  public func write(to: URL, options: WritingOptions = []) throws {}
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(index: Int) -> UInt8 { get { 0 } set {} }
  public subscript(bounds: Range<Int>) -> Data { get { self } set {} }
  public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with new: C) where C.Element == UInt8 {}
  public mutating func append(_ other: Data) {}
}
public struct URL: Sendable, Hashable, CustomStringConvertible {
  public enum DirectoryHint: Sendable { case isDirectory, notDirectory, checkFileSystem, inferFromPath }
  public init(fileURLWithPath: String) {}
  public init(fileURLWithPath: String, isDirectory: Bool) {}
  public init(filePath: String, directoryHint: DirectoryHint = .inferFromPath) {}
  public var path: String { "" }
  public var relativePath: String { "" }
  public var lastPathComponent: String { "" }
  public var pathExtension: String { "" }
  public var description: String { "" }
  public var standardizedFileURL: URL { self }
  public func path(percentEncoded: Bool = true) -> String { "" }
  public func appending<S: StringProtocol>(path: S, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
  public func appendingPathComponent(_ name: String) -> URL { self }
  public func deletingLastPathComponent() -> URL { self }
  public func deletingPathExtension() -> URL { self }
  public func resolvingSymlinksInPath() -> URL { self }
}
public struct UUID: Sendable, Hashable {
  public init() {}
  public var uuidString: String { "" }
}
public struct Date: Sendable, Hashable {
  public init() {}
  public init(timeIntervalSinceNow: TimeInterval) {}
  public init(timeIntervalSince1970: TimeInterval) {}
  public var timeIntervalSince1970: TimeInterval { 0 }
}
public struct CharacterSet: Sendable {
  public init(charactersIn: String) {}
  public static let whitespaces = CharacterSet(charactersIn: ""), whitespacesAndNewlines = CharacterSet(charactersIn: ""), newlines = CharacterSet(charactersIn: "")
}
public struct Locale: Sendable { public init(identifier: String) {} }
extension String {
  public struct CompareOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let literal = CompareOptions(rawValue: 2), regularExpression = CompareOptions(rawValue: 1024), caseInsensitive = CompareOptions(rawValue: 1), backwards = CompareOptions(rawValue: 4)
  }
  public struct Encoding: Sendable { public static let utf8 = Encoding(), ascii = Encoding(), isoLatin1 = Encoding() }
  public init(format: String, _ arguments: any CVarArg...) { self = "" }
  public init(format: String, locale: Locale?, _ arguments: any CVarArg...) { self = "" }
  public init?(data: Data, encoding: Encoding) { nil }
  public init(contentsOf: URL, encoding: Encoding) throws { self = "" }
  public init(contentsOfFile: String, encoding: Encoding) throws { self = "" }
}
extension StringProtocol {
  public func components<T: StringProtocol>(separatedBy separator: T) -> [String] { [] }
  public func components(separatedBy separator: CharacterSet) -> [String] { [] }
  public func trimmingCharacters(in set: CharacterSet) -> String { "" }
  public func replacingOccurrences<T: StringProtocol, U: StringProtocol>(of target: T, with replacement: U) -> String { "" }
  public func contains<T: StringProtocol>(_ other: T) -> Bool { false }
  public func range<T: StringProtocol>(of other: T, options: String.CompareOptions = [], range: Range<Index>? = nil) -> Range<Index>? { nil }
  public func write(toFile path: String, atomically: Bool, encoding: String.Encoding) throws {}
  public func write(to url: URL, atomically: Bool, encoding: String.Encoding) throws {}
  public func data(using encoding: String.Encoding) -> Data? { nil }
}
extension Error { public var localizedDescription: String { "" } }
public protocol LocalizedError: Error { var errorDescription: String? { get } }
extension LocalizedError { public var errorDescription: String? { nil } }

// MARK: Formats

public class JSONDecoder {
  public enum NonConformingFloatDecodingStrategy: Sendable { case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String) }
  public init() {}
  public var nonConformingFloatDecodingStrategy = NonConformingFloatDecodingStrategy.convertFromString(positiveInfinity: "", negativeInfinity: "", nan: "")
  public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError() }
}
public class JSONEncoder {
  public struct OutputFormatting: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
    public static let withoutEscapingSlashes = OutputFormatting(rawValue: 8)
  }
  public enum NonConformingFloatEncodingStrategy: Sendable { case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String) }
  public init() {}
  public var outputFormatting: OutputFormatting = []
  public var nonConformingFloatEncodingStrategy = NonConformingFloatEncodingStrategy.convertToString(positiveInfinity: "", negativeInfinity: "", nan: "")
  public func encode<T: Encodable>(_ value: T) throws -> Data { fatalError() }
}
open class JSONSerialization: NSObject {
  public struct ReadingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let fragmentsAllowed = ReadingOptions(rawValue: 4)
  }
  open class func jsonObject(with data: Data, options: ReadingOptions = []) throws -> Any { data }
}
open class XMLParser: NSObject {
  public init(data: Data) {}
  open var parserError: (any Error)? { nil }
  open weak var delegate: (any XMLParserDelegate)?
  open func parse() -> Bool { true }
}
public protocol XMLParserDelegate: NSObjectProtocol {
  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String])
}

// MARK: The system

public struct FileAttributeKey: Hashable, Sendable {
  public static let posixPermissions = FileAttributeKey(), size = FileAttributeKey(), type = FileAttributeKey(), modificationDate = FileAttributeKey(), systemFileNumber = FileAttributeKey()
}
public struct FileAttributeType: Hashable, Sendable { public static let typeRegular = FileAttributeType(), typeDirectory = FileAttributeType(), typeSymbolicLink = FileAttributeType() }
open class FileManager: NSObject, @unchecked Sendable {
  open class DirectoryEnumerator: NSEnumerator { }
  open class var `default`: FileManager { fatalError() }
  open var temporaryDirectory: URL { fatalError() }
  open var currentDirectoryPath: String { "" }
  open func fileExists(atPath: String) -> Bool { false }
  open func isExecutableFile(atPath: String) -> Bool { false }
  open func isWritableFile(atPath: String) -> Bool { false }
  open func contents(atPath: String) -> Data? { nil }
  open func contentsOfDirectory(atPath: String) throws -> [String] { [] }
  open func subpaths(atPath: String) -> [String]? { nil }
  open func subpathsOfDirectory(atPath: String) throws -> [String] { [] }
  open func enumerator(atPath: String) -> DirectoryEnumerator? { nil }
  open func enumerator(at url: URL, includingPropertiesForKeys keys: [URLResourceKey]?) -> DirectoryEnumerator? { nil }
  open func attributesOfItem(atPath: String) throws -> [FileAttributeKey: Any] { [:] }
  open func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath: String) throws {}
  open func removeItem(atPath: String) throws {}
  open func removeItem(at: URL) throws {}
  open func moveItem(atPath: String, toPath: String) throws {}
  open func copyItem(atPath: String, toPath: String) throws {}
  open func linkItem(atPath: String, toPath: String) throws {}
  open func createSymbolicLink(atPath: String, withDestinationPath: String) throws {}
  open func createSymbolicLink(at: URL, withDestinationURL: URL) throws {}
  open func createDirectory(at: URL, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil) throws {}
  open func createDirectory(atPath: String, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil) throws {}
  open func createFile(atPath: String, contents: Data?, attributes: [FileAttributeKey: Any]? = nil) -> Bool { false }
}
public struct URLResourceKey: Hashable, Sendable {}
open class NSEnumerator: NSObject, Sequence, IteratorProtocol { public func next() -> Any? { nil } }
open class FileHandle: NSObject, @unchecked Sendable {
  open class var standardInput: FileHandle { fatalError() }
  open class var standardOutput: FileHandle { fatalError() }
  open class var standardError: FileHandle { fatalError() }
  open class var nullDevice: FileHandle { fatalError() }
  public convenience init?(forReadingAtPath: String) { nil }
  public convenience init?(forWritingAtPath: String) { nil }
  public convenience init?(forUpdatingAtPath: String) { nil }
  public convenience init(forReadingFrom: URL) throws { self.init() }
  public convenience init(forWritingTo: URL) throws { self.init() }
  public convenience init(fileDescriptor: Int32, closeOnDealloc: Bool) { self.init() }
  public override init() {}
  open var fileDescriptor: Int32 { 0 }
  open var availableData: Data { Data() }
  open var readabilityHandler: (@Sendable (FileHandle) -> Void)?
  open func readDataToEndOfFile() -> Data { Data() }
  open func readData(ofLength: Int) -> Data { Data() }
  public func readToEnd() throws -> Data? { nil }
  public func read(upToCount: Int) throws -> Data? { nil }
  open func write(_ data: Data) {}
  public func write<T: Sequence>(contentsOf data: T) throws where T.Element == UInt8 {}
  @discardableResult public func seekToEnd() throws -> UInt64 { 0 }
  public func seek(toOffset: UInt64) throws {}
  public func truncate(atOffset: UInt64) throws {}
  public func close() throws {}
  public func synchronize() throws {}
  open func closeFile() {}
}
open class Pipe: NSObject, @unchecked Sendable {
  public override init() {}
  open var fileHandleForReading: FileHandle { fatalError() }
  open var fileHandleForWriting: FileHandle { fatalError() }
}
#if os(macOS)
open class Process: NSObject, @unchecked Sendable {
  public override init() {}
  public enum TerminationReason: Int, Sendable { case exit = 1, uncaughtSignal = 2 }
  open class func run(_ url: URL, arguments: [String], terminationHandler: (@Sendable (Process) -> Void)? = nil) throws -> Process { Process() }
  open var executableURL: URL?
  open var currentDirectoryURL: URL?
  open var arguments: [String]?
  open var environment: [String: String]?
  open var standardInput: Any?
  open var standardOutput: Any?
  open var standardError: Any?
  open var processIdentifier: Int32 { 0 }
  open var isRunning: Bool { false }
  open var terminationStatus: Int32 { 0 }
  open var terminationReason: TerminationReason { .exit }
  open var terminationHandler: (@Sendable (Process) -> Void)?
  open func run() throws {}
  open func terminate() {}
  open func interrupt() {}
  open func waitUntilExit() {}
}
#endif
open class ProcessInfo: NSObject, @unchecked Sendable {
  open class var processInfo: ProcessInfo { fatalError() }
  open var environment: [String: String] { [:] }
  open var arguments: [String] { [] }
  open var hostName: String { "" }
  open var processIdentifier: Int32 { 0 }
  open var physicalMemory: UInt64 { 0 }
  open var activeProcessorCount: Int { 0 }
  open var processorCount: Int { 0 }
  open var systemUptime: TimeInterval { 0 }
  open var operatingSystemVersionString: String { "" }
}
open class Bundle: NSObject, @unchecked Sendable {
  open class var main: Bundle { fatalError() }
  open class var allBundles: [Bundle] { [] }
  public convenience init?(path: String) { nil }
  open var executablePath: String? { nil }
  open var bundlePath: String { "" }
  open var bundleURL: URL { fatalError() }
  open func url(forResource: String?, withExtension: String?) -> URL? { nil }
  open func url(forResource: String?, withExtension: String?, subdirectory: String?) -> URL? { nil }
}
open class Thread: NSObject, @unchecked Sendable {
  open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {}
  open class func sleep(until: Date) {}
  open class func sleep(forTimeInterval: TimeInterval) {}
  open class var isMainThread: Bool { true }
  open class var current: Thread { fatalError() }
  public convenience init(block: @escaping @Sendable () -> Void) { self.init() }
  open var isMainThread: Bool { true }
  open var stackSize: Int { get { 0 } set {} }
  open func start() {}
}
open class RunLoop: NSObject {
  public struct Mode: Hashable, Sendable { public static let `default` = Mode(), common = Mode() }
  open class var current: RunLoop { fatalError() }
  open class var main: RunLoop { fatalError() }
  open func run(mode: Mode, before: Date) -> Bool { false }
}
open class Timer: NSObject {
  open class func scheduledTimer(withTimeInterval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void) -> Timer { Timer() }
  open func invalidate() {}
}
open class NSLock: NSObject, @unchecked Sendable { public override init() {};
  open func lock() {}
  open func unlock() {}
  public func withLock<R>(_ body: () throws -> R) rethrows -> R { try body() }
}

// MARK: Objects

open class NSNumber: NSObject, @unchecked Sendable { public override init() {}; public convenience init(value: Int) { self.init() } }
open class NSString: NSObject, @unchecked Sendable { public override init() {}; public convenience init(string: String) { self.init() } }
open class NSNull: NSObject, @unchecked Sendable { public override init() {};}
open class NSDate: NSObject, @unchecked Sendable { public override init() {};}
open class NSArray: NSObject { open override func copy() -> Any { self }; open var firstObject: Any? { nil }; open var lastObject: Any? { nil }; public override init() {}; public convenience init(object: Any) { self.init() }; public convenience init(array: [Any]) { self.init() } }
open class NSMutableArray: NSArray { open func add(_ object: Any) {} }
open class NSDictionary: NSObject, ExpressibleByDictionaryLiteral {
  public override init() {}
  public required convenience init(dictionaryLiteral elements: (Any, Any)...) { self.init() }
  open var allValues: [Any] { [] }
  open func object(forKey: Any) -> Any? { nil }
}
open class NSMutableDictionary: NSDictionary {}
open class NSError: NSObject, Error, @unchecked Sendable {
  public init(domain: String, code: Int, userInfo: [String: Any]? = nil) {}
  open var code: Int { 0 }
  open var userInfo: [String: Any] { [:] }
}
public func _convertErrorToNSError(_ error: any Error) -> NSError { fatalError() }
public func _convertNSErrorToError(_ error: NSError?) -> any Error { fatalError() }
public struct Notification: @unchecked Sendable {
  public struct Name: Hashable, Sendable { public init(_ name: String) {}; public init(rawValue: String) {} }
  public var name: Name
  public var userInfo: [AnyHashable: Any]? { nil }
  public init(name: Name, object: Any? = nil, userInfo: [AnyHashable: Any]? = nil) { self.name = name }
}
public typealias NSNotification = Notification
open class NotificationCenter: NSObject, @unchecked Sendable { public override init() {};
  open class var `default`: NotificationCenter { fatalError() }
  open func addObserver(
    forName: Notification.Name?, object: Any?, queue: OperationQueue?,
    using: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol { fatalError() }
  open func removeObserver(_ observer: Any) {}
  open func post(name: Notification.Name, object: Any?) {}
}
open class UserDefaults: NSObject, @unchecked Sendable { open class var standard: UserDefaults { fatalError() } }
open class Operation: NSObject, @unchecked Sendable { open func start() {}; open func cancel() {} }
open class BlockOperation: Operation, @unchecked Sendable { public convenience init(block: @escaping @Sendable () -> Void) { self.init() } }
open class OperationQueue: NSObject, @unchecked Sendable { public override init() {};
  open class var main: OperationQueue { fatalError() }
  open func addOperation(_ operation: Operation) {}
  open func addOperation(_ block: @escaping @Sendable () -> Void) {}
}
