// swift-format-ignore-file
// What this package uses of the overlay of the Objective-C runtime.
@_exported import ObjectiveC

public func autoreleasepool<Result: ~Copyable, E>(
  invoking body: () throws(E) -> Result
) throws(E) -> Result { try body() }

extension NSObject: Equatable, Hashable {
  public static func == (one: NSObject, other: NSObject) -> Bool { one === other }
  @nonobjc public func hash(into hasher: inout Hasher) {}
}
