import Foundation
import Primitives
import WeakCollections

/// The measured costs of the backends, by the key under which they were measured.
public struct Calibration: Hashable, Sendable {
  private let models: [CalibrationKey: CostModel]

  /// Creates a calibration from the costs measured under each key.
  public init(_ costs: [CalibrationKey: [MeasuredCost]]) {
    models = costs.filter { !$0.value.isEmpty }.mapValues(CostModel.init)
  }

  /// Creates a calibration from samples of any number of keys.
  public init(_ samples: [CostSample]) {
    self.init(Dictionary(grouping: samples, by: \.key).mapValues(MeasuredCost.summaries))
  }

  /// The calibration that is compiled into this package. Its first use parses it.
  public static let compiled: Calibration = {
    do throws(CalibrationSource.Malformed) {
      return Calibration(try CalibrationSource.costs(in: compiledTable))
    } catch {
      fatalError(
        "Calibration+Compiled.swift has a malformed line; generate it again: \(error.line)")
    }
  }()

  /// The keys with measurements, in order.
  public var keys: [CalibrationKey] { models.keys.sorted() }

  /// Returns the model of the measurements for `key`; nil if there are none.
  public func model(for key: CalibrationKey) -> CostModel? { models[key] }

  /// Returns the measurements for `key`, in order.
  public func costs(for key: CalibrationKey) -> [MeasuredCost] { models[key]?.costs ?? [] }
}

/// The conditions under which measurements are valid. They say nothing about another compiler,
/// mutex, processor or number of cores.
public struct CalibrationKey: Hashable, Sendable {
  /// The compiler's major and minor version, such as "6.3".
  public var compiler: String
  /// The algorithm of `Synchronization.Mutex`, as named by `Host.mutexFlavor`.
  public var mutexFlavor: String
  /// The processor architecture, such as "x86_64".
  public var architecture: String
  /// The number of cores that the process may use.
  public var cores: Int

  /// Creates a key. Patch releases share a calibration: "6.3.1" becomes "6.3".
  public init(compiler: String, mutexFlavor: String, architecture: String, cores: Int) {
    self.compiler = compiler.split(separator: ".").prefix(2).joined(separator: ".")
    self.mutexFlavor = mutexFlavor
    self.architecture = architecture
    self.cores = cores
  }

  /// The key of this process.
  public static let current = CalibrationKey(
    compiler: Host.compilerVersion, mutexFlavor: Host.mutexFlavor,
    architecture: Host.architecture, cores: Host.usableCores)
}

extension CalibrationKey: CustomStringConvertible {
  /// A text such as "Swift 6.3, adaptive mutex, x86_64, 2 cores".
  public var description: String {
    "Swift \(compiler), \(mutexFlavor) mutex, \(architecture), \(cores) core\(cores == 1 ? "" : "s")"
  }
}

extension CalibrationKey: Comparable {
  /// Returns whether `one` comes before `other`: by compiler, mutex, architecture, then cores.
  public static func < (one: CalibrationKey, other: CalibrationKey) -> Bool {
    (one.compiler, one.mutexFlavor, one.architecture, one.cores)
      < (other.compiler, other.mutexFlavor, other.architecture, other.cores)
  }
}

// MARK: JSON

/// The error of a file that cannot be used as a calibration.
public enum CalibrationError: Error, Hashable {
  /// The file cannot be read, for the given reason of the system.
  case unreadable(String)
  /// The content is malformed, for a reason on one line.
  case malformed(String)
  /// Another version wrote the file, in which a name may have another meaning.
  case unsupportedSchema(found: Int, newestKnown: Int)
}

extension CalibrationError: CustomStringConvertible {
  /// A sentence that says what is wrong with the file and what to do.
  public var description: String {
    switch self {
    case .unreadable(let reason): "cannot read the calibration: \(reason)"
    case .malformed(let reason):
      "malformed calibration: \(reason); write it again with 'weakbench choose --output'"
    case .unsupportedSchema(let found, let newestKnown):
      "the calibration has schema \(found), but this version reads only schema \(newestKnown); "
        + (found > newestKnown ? "update this package or " : "")
        + "write the calibration again with 'weakbench choose --output'"
    }
  }
}

extension Calibration {
  /// Reads a calibration that `weakbench choose --output` wrote.
  ///
  /// - Parameter file: The file.
  /// - Throws: `CalibrationError` if the file cannot be read or is not a calibration.
  public init(contentsOf file: URL) throws(CalibrationError) {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw .unreadable(error.localizedDescription)
    }
    try self.init(json: data)
  }

  /// Parses a calibration.
  ///
  /// - Parameter json: The contents of a file that `weakbench choose --output` wrote.
  /// - Throws: `CalibrationError` if `json` is not a calibration.
  public init(json: Data) throws(CalibrationError) {
    let decoder = JSONDecoder()
    do {
      let schema = try decoder.decode(CalibrationFile.Schema.self, from: json).schema
      guard schema == CalibrationFile.schema else {
        throw CalibrationError.unsupportedSchema(
          found: schema, newestKnown: CalibrationFile.schema)
      }
      self.init(try decoder.decode(CalibrationFile.self, from: json).costs())
    } catch let error as CalibrationError {
      throw error
    } catch {
      throw .malformed(CalibrationFile.reason(for: error))
    }
  }

  /// The calibration as JSON. Equal calibrations have equal JSON.
  public var json: Data { PrettyJSON.data(of: CalibrationFile(self)) }
}

/// The contents of a calibration file. The property names are the names in the JSON.
private struct CalibrationFile: Codable {
  /// The version, which increases when the meaning of a name changes.
  static let schema = 2

  struct Schema: Decodable {
    let schema: Int
  }

  /// The costs measured under one key.
  struct Place: Codable {
    let compiler: String
    let mutexFlavor: String
    let architecture: String
    let cores: Int
    let costs: [MeasuredCost]
  }

  let schema: Int
  let places: [Place]

  init(_ calibration: Calibration) {
    schema = Self.schema
    places = calibration.keys.map { key in
      Place(
        compiler: key.compiler, mutexFlavor: key.mutexFlavor, architecture: key.architecture,
        cores: key.cores, costs: calibration.costs(for: key))
    }
  }

  /// Returns the costs by their keys. Throws for a duplicate, and for a value that would trap
  /// later.
  func costs() throws(CalibrationError) -> [CalibrationKey: [MeasuredCost]] {
    var result: [CalibrationKey: [MeasuredCost]] = [:]
    for place in places {
      let key = CalibrationKey(
        compiler: place.compiler, mutexFlavor: place.mutexFlavor,
        architecture: place.architecture, cores: place.cores)
      var seen: Set<[String]> = []
      for cost in place.costs {
        guard cost.isValid else {
          throw .malformed(
            "invalid cost of \(cost.name): expected positive numbers and each session once")
        }
        guard seen.insert([cost.point.collection.rawValue, cost.name]).inserted else {
          throw .malformed("\(cost.name) occurs twice; keep one of them")
        }
      }
      guard result.updateValue(place.costs, forKey: key) == nil else {
        throw .malformed("\(key) occurs twice; keep one of them")
      }
    }
    return result
  }

  /// Returns the reason why the decoder rejected a file, on one line.
  static func reason(for error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let context =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        context
      @unknown default: DecodingError.Context(codingPath: [], debugDescription: "\(error)")
      }
    let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    let place = path.isEmpty ? "" : path.joined(separator: ".") + ": "
    return place
      + context.debugDescription.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}

extension MeasuredCost {
  fileprivate var name: String { "\(backend.rawValue) at \(point) of \(point.shares.all)" }

  fileprivate var isValid: Bool {
    let costs = sessions.flatMap { session in
      CostObjective.allCases.compactMap(session.cost(of:))
    }
    return point.threads > 0 && point.entries > 0
      && point.shares.all.allSatisfy { (0...100).contains($0) }
      && costs.allSatisfy { $0 > 0 && $0.isFinite }
      && Set(sessions.map(\.session)).count == sessions.count
  }
}

/// JSON for people and diffs: indented, with sorted names.
package enum PrettyJSON {
  /// Returns `value` as JSON.
  ///
  /// - Precondition: Every number in `value` is finite.
  package static func data(of value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
      fatalError("\(type(of: value)) has a number that JSON cannot represent")
    }
    return data
  }

  /// Returns `value` as JSON text.
  ///
  /// - Precondition: Every number in `value` is finite.
  package static func text(of value: some Encodable) -> String {
    String(decoding: data(of: value), as: UTF8.self)
  }
}
