#if canImport(XCTest) && !canImport(Darwin)
  import CLeakTesting
  import Foundation
  import XCTest

  #if canImport(Runtime)
    import Runtime
  #endif
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The source location of a test method. XCTest knows only the method's name.
  ///
  /// 1. The symbol table of the program has the mangled names and the addresses of all functions.
  ///    The search demangles those that start with the name of the class, and compares them with
  ///    the name of the method.
  /// 2. The runtime looks up source locations only for the calls in a backtrace. So the search
  ///    captures a backtrace in which a call seems to come from the method's address.
  ///
  /// A program without symbols or debug information has no locations.
  struct MethodLocation {
    let file: String
    let line: Int

    /// Finds the method that `testCase` runs; nil if no method has its name, or if the location is
    /// unknown.
    init?(ofTest testCase: XCTestCase) {
      let method = testCase.name.split(separator: ".").last.map(String.init) ?? ""
      let types = sequence(first: Mirror(reflecting: testCase), next: \.superclassMirror)
        .prefix { $0.subjectType != XCTestCase.self }.compactMap { $0.subjectType as? AnyClass }
      let found = types.lazy.compactMap { Self.location(of: method, in: $0) }.first
      guard let found else { return nil }
      self = found
    }

    private init(file: String, line: Int) {
      self.file = file
      self.line = line
    }

    private static func location(of method: String, in type: AnyClass) -> MethodLocation? {
      #if canImport(Runtime) && (arch(x86_64) || arch(arm64))
        guard let mangled = _mangledTypeName(type), let image = Image(of: type) else { return nil }
        let function = image.functions(withPrefix: "$s\(mangled)").first { name, _ in
          // The suffix "F" is that of the function itself, not of its closures and continuations.
          name.hasSuffix("F") && demangled(name).hasSuffix(".\(method)()")
        }
        return function.flatMap { location(at: $0.address) }
      #else
        return nil
      #endif
    }
  }

  #if canImport(Runtime) && (arch(x86_64) || arch(arm64))
    extension MethodLocation {
      private static func demangled(_ name: String) -> String {
        SymbolicatedBacktrace.Symbol(
          imageIndex: 0, imageName: "", rawName: name, offset: 0, sourceLocation: nil
        ).name
      }

      private static func location(at address: UInt) -> MethodLocation? {
        var captured: Backtrace?
        withUnsafeMutablePointer(to: &captured) { captured in
          clt_call_from(
            address,
            { context in
              let captured = context?.assumingMemoryBound(to: Backtrace?.self)
              captured?.pointee = try? Backtrace.capture(limit: 16, top: 0)
            }, captured)
        }
        let frames = captured?.symbolicated()?.frames ?? []
        let caller = frames.first { frame in
          UInt(frame.captured.adjustedProgramCounter) == address && !frame.inlined
        }
        guard let place = caller?.symbol?.sourceLocation, place.line > 0 else { return nil }
        return MethodLocation(file: place.path, line: place.line)
      }
    }

    /// The file of a program or a library, and the address at which it is loaded.
    private struct Image {
      private static let symbolTable: UInt32 = 2
      private static let function: UInt8 = 2
      private static let relocatable: UInt16 = 3

      private let bytes: Data
      private let base: UInt

      /// Finds the file that declares `type`; nil if it is not a readable 64-bit ELF file.
      init?(of type: AnyClass) {
        var name: UnsafePointer<CChar>?
        base = clt_image(unsafeBitCast(type, to: UnsafeRawPointer.self), &name)
        guard base != 0, let name else { return nil }
        let path = String(cString: name)
        // The program's own name may be relative to an earlier working directory.
        let isProgram = path == CommandLine.arguments.first
        let url = URL(fileURLWithPath: isProgram ? "/proc/self/exe" : path)
        guard let bytes = try? Data(contentsOf: url, options: .mappedIfSafe),
          bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2])
        else { return nil }
        self.bytes = bytes
      }

      /// Returns the functions whose names have a prefix, with their addresses.
      ///
      /// - Complexity: O(*n*) in the number of symbols.
      func functions(withPrefix prefix: String) -> [(name: String, address: UInt)] {
        let sections = self.sections
        guard let table = sections.first(where: { $0.type == Self.symbolTable }),
          sections.indices.contains(table.link)
        else { return [] }
        let names = sections[table.link]
        let offset = value(at: 16, as: UInt16.self) == Self.relocatable ? base : 0
        return bytes.withUnsafeBytes { bytes in
          stride(from: table.start, to: table.end - 23, by: 24).compactMap { place in
            let name = Int(bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
            let address = bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
            guard bytes[place + 4] & 15 == Self.function, address != 0,
              names.start + name + prefix.utf8.count < names.end,
              memcmp(bytes.baseAddress! + names.start + name, prefix, prefix.utf8.count) == 0
            else { return nil }
            let text = bytes[(names.start + name)..<names.end].prefix { $0 != 0 }
            return (String(decoding: text, as: UTF8.self), offset + UInt(address))
          }
        }
      }

      private struct Section {
        let type: UInt32
        let link: Int
        let start: Int
        let end: Int
      }

      /// The sections of the file; none if it is malformed.
      private var sections: [Section] {
        guard let headers = value(at: 0x28, as: UInt64.self), headers < bytes.count,
          let count = value(at: 0x3c, as: UInt16.self)
        else { return [] }
        let sections = (0..<Int(count)).map { section(at: Int(headers) + $0 * 64) }
        return sections.contains { $0 == nil } ? [] : sections.compactMap(\.self)
      }

      private func section(at header: Int) -> Section? {
        guard let type = value(at: header + 4, as: UInt32.self),
          let start = value(at: header + 24, as: UInt64.self),
          let size = value(at: header + 32, as: UInt64.self),
          let link = value(at: header + 40, as: UInt32.self)
        else { return nil }
        // A section such as .bss has no bytes in the file.
        let isInFile = start <= bytes.count && size <= UInt64(bytes.count) - start
        return Section(
          type: type, link: Int(link), start: isInFile ? Int(start) : 0,
          end: isInFile ? Int(start + size) : 0)
      }

      private func value<Value: BitwiseCopyable>(at offset: Int, as type: Value.Type) -> Value? {
        guard offset >= 0, offset + MemoryLayout<Value>.size <= bytes.count else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
      }
    }
  #endif
#endif
