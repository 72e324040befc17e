import Foundation
import struct Measurements.Measurement
import Primitives

/// A probe for the machine, the build and the source commit of this program.
package enum EnvironmentProbe {
  /// Returns the environment of this process.
  ///
  /// - Parameter machine: A label for the machine; `nil` derives one from its properties.
  package static func environment(machine: String?) -> Measurement.Environment {
    let facts = MachineFacts.current
    return Measurement.Environment(
      machine: machine ?? MachineLabel.text(for: facts, cores: Host.usableCores), cpu: facts.cpu,
      cores: Host.usableCores, hostCores: Host.hostCores, os: facts.os, kernel: facts.kernel,
      swift: CompilerVersion.name, mutexFlavor: Host.mutexFlavor, allocator: AllocatorProbe.name,
      buildConfiguration: BuildKind.name, commit: SourceCommit.name())
  }
}

/// The commit of this program's source, if the checkout is still at the place of the build.
package enum SourceCommit {
  /// Returns `g` and the short hash, followed by `-dirty` if a source file has changes; `nil`
  /// without git.
  package static func name(sourceFile: String = #filePath) -> String? {
    let folder = URL(fileURLWithPath: sourceFile).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    guard let hash = git("rev-parse --short HEAD", in: root), !hash.isEmpty else { return nil }
    // Only built files count: the results of one run must not make the next one dirty.
    guard let changes = git("status --porcelain -- Package.swift Sources Benchmarks", in: root)
    else { return nil }
    return "g\(hash)\(changes.isEmpty ? "" : "-dirty")"
  }

  private static func git(_ arguments: String, in folder: String) -> String? {
    // The variables that git sets for hooks would direct it to another repository.
    let git = "env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE git -C \(folder.quotedForShell)"
    return Shell.output(of: "\(git) \(arguments) 2>/dev/null </dev/null")
  }
}

/// The shell of the system.
package enum Shell {
  /// Runs a command and returns its output without the spaces around it, or `nil` if it fails or
  /// the system has no shell.
  package static func output(of command: String) -> String? {
    bytes(of: command).map {
      String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  /// Where it can, this does not use `Process`, whose threads would still exist during the trials.
  private static func bytes(of command: String) -> [UInt8]? {
    #if os(macOS)
      // Swift may not call `popen` there.
      let (process, pipe) = (Process(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", command]
      process.standardOutput = pipe
      guard (try? process.run()) != nil else { return nil }
      let data = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return process.terminationStatus == 0 ? [UInt8](data) : nil
    #elseif os(Linux) || os(Android)
      guard let pipe = popen(command, "r") else { return nil }
      var bytes: [UInt8] = []
      while case let byte = getc(pipe), byte != EOF {
        bytes.append(UInt8(truncatingIfNeeded: byte))
      }
      return pclose(pipe) == 0 ? bytes : nil
    #else
      return nil
    #endif
  }
}

/// The compiler that built this program, as in the CSV: `swift-6.3.1`.
///
/// The version of the standard library would be easier to read, but omits the patch release.
package enum CompilerVersion {
  package static var name: String {
    #if compiler(>=7.0)
      "swift-7-or-later"
    #elseif compiler(>=6.6)
      "swift-6.6-or-later"
    #elseif compiler(>=6.5)
      "swift-6.5"
    #elseif compiler(>=6.4.3)
      "swift-6.4.3-or-later"
    #elseif compiler(>=6.4.2)
      "swift-6.4.2"
    #elseif compiler(>=6.4.1)
      "swift-6.4.1"
    #elseif compiler(>=6.4)
      "swift-6.4"
    #elseif compiler(>=6.3.4)
      "swift-6.3.4-or-later"
    #elseif compiler(>=6.3.3)
      "swift-6.3.3"
    #elseif compiler(>=6.3.2)
      "swift-6.3.2"
    #elseif compiler(>=6.3.1)
      "swift-6.3.1"
    #else
      "swift-6.3"
    #endif
  }
}

/// The properties of this build that affect measurements.
package enum BuildKind {
  /// The name of the build: `release` or `debug`, with the sanitizer and the traits that cost time.
  package static var name: String {
    ([isDebug ? "debug" : "release"] + costlyAdditions).joined(separator: "+")
  }

  /// Whether times measured with this build are meaningful: a release build without such additions.
  package static var isFitForMeasuring: Bool { !isDebug && costlyAdditions.isEmpty }

  private static var isDebug: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  private static var costlyAdditions: [String] {
    var names = Sanitizer.names
    #if InternalChecks
      names.append("InternalChecks")
    #endif
    #if Interleaving
      names.append("Interleaving")
    #endif
    return names
  }
}

extension String {
  /// The text as one word of a shell command, quoted if necessary.
  package var quotedForShell: String {
    let isPlain = allSatisfy { character in
      character.isASCIIAlphanumeric || "-_=.,/:+@%".contains(character)
    }
    guard !isPlain || isEmpty else { return self }
    let parts = split(separator: "'", omittingEmptySubsequences: false)
    return "'\(parts.joined(separator: #"'\''"#))'"
  }
}

/// The properties of the machine, without the name of the host.
package struct MachineFacts: Equatable, Sendable {
  package var cpu: String?
  package var memoryBytes: UInt64
  package var os: String?
  package var kernel: String?

  package init(cpu: String?, memoryBytes: UInt64, os: String?, kernel: String?) {
    self.cpu = cpu
    self.memoryBytes = memoryBytes
    self.os = os
    self.kernel = kernel
  }

  package static var current: MachineFacts {
    MachineFacts(
      cpu: cpu(inCPUInfo: text(of: "/proc/cpuinfo")),
      memoryBytes: ProcessInfo.processInfo.physicalMemory,
      os: os(inRelease: text(of: "/etc/os-release"))
        ?? os(inRelease: text(of: "/usr/lib/os-release")),
      kernel: kernel)
  }

  /// The average number of runnable threads, or `nil` if the system does not report it.
  package static var loadOfLastMinute: Double? {
    var load = 0.0
    return getloadavg(&load, 1) == 1 ? load : nil
  }

  /// Returns the processor's model, such as "AMD EPYC", from the text of `/proc/cpuinfo`.
  ///
  /// - Returns: `nil` if the kernel names no model, as on many ARM machines.
  package static func cpu(inCPUInfo text: String) -> String? {
    value(of: "model name", in: text, separator: ":")
  }

  /// Returns the system's name, such as "Debian GNU/Linux 12 (bookworm)", from `os-release`.
  package static func os(inRelease text: String) -> String? {
    value(of: "PRETTY_NAME", in: text, separator: "=")
  }

  /// The kernel, such as "Linux 6.18.44 x86_64", as `uname -srm` prints it.
  private static var kernel: String? {
    var names = utsname()
    guard uname(&names) == 0 else { return nil }
    return [
      withUnsafeBytes(of: names.sysname, text(upToZero:)),
      withUnsafeBytes(of: names.release, text(upToZero:)),
      withUnsafeBytes(of: names.machine, text(upToZero:)),
    ].joined(separator: " ")
  }

  private static func text(upToZero bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns the text after the separator in the first line that begins with `key`, without
  /// quotation marks.
  private static func value(of key: String, in text: String, separator: Character) -> String? {
    for line in text.split(separator: "\n") where line.hasPrefix(key) {
      guard let position = line.firstIndex(of: separator) else { continue }
      let value = line[line.index(after: position)...]
        .trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
      // A bare number carries no information, and spreadsheets reformat it.
      return value.isEmpty || Double(value) != nil ? nil : value
    }
    return nil
  }

  private static func text(of path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

/// A label of a machine: the same in every run, and the same for equal machines.
package enum MachineLabel {
  /// Returns the label, such as `amd-epyc-2c-24gib-debian-12`: processor model, usable cores,
  /// memory and system.
  package static func text(for facts: MachineFacts, cores: Int) -> String {
    let words = [
      facts.cpu.map(processor) ?? "unknown-cpu", "\(cores)c", "\(gibibytes(facts.memoryBytes))gib",
      facts.os.map(system) ?? "unknown-os",
    ]
    return words.joined(separator: "-")
  }

  /// Rounds up: the kernel reserves a small and varying amount of the installed memory.
  private static func gibibytes(_ bytes: UInt64) -> UInt64 {
    (bytes + (1 << 30) - 1) >> 30
  }

  /// Returns the processor's name without the frequency and without filler words.
  private static func processor(_ name: String) -> String {
    let model = name.split(separator: "@").first.map(String.init) ?? name
    let words = slug(model).split(separator: "-").filter {
      !["r", "tm", "cpu", "processor"].contains($0)
    }
    return words.isEmpty ? "unknown-cpu" : words.joined(separator: "-")
  }

  /// Returns the system's name and major version; point releases count as the same system.
  private static func system(_ name: String) -> String {
    let words = slug(name).split(separator: "-").filter { !["gnu", "linux", "lts"].contains($0) }
    guard let version = words.firstIndex(where: { $0.first?.isNumber == true }) else {
      return words.prefix(2).joined(separator: "-")
    }
    return words[...version].joined(separator: "-")
  }

  /// Returns `text` in lower-case letters and digits; one hyphen replaces every other sequence.
  private static func slug(_ text: String) -> String {
    let kept = text.lowercased().map { $0.isASCIIAlphanumeric ? $0 : " " }
    return String(kept).split(separator: " ").joined(separator: "-")
  }
}

extension Character {
  package var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
