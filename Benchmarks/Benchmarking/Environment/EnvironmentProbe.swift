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

  /// Runs git and returns its output, or `nil` if it fails.
  ///
  /// It does not use `Process`, whose threads would still exist during the trials.
  private static func git(_ arguments: String, in folder: String) -> String? {
    // The variables that git sets for hooks would direct it to another repository.
    let git = "env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE git -C \(folder.quotedForShell)"
    guard let pipe = popen("\(git) \(arguments) 2>/dev/null </dev/null", "r") else { return nil }
    var bytes: [UInt8] = []
    while case let byte = getc(pipe), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    guard pclose(pipe) == 0 else { return nil }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
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
public enum BuildKind {
  /// The name of the build: `release` or `debug`, with the sanitizer and the traits that cost time.
  public static var name: String {
    ([isDebug ? "debug" : "release"] + burdens).joined(separator: "+")
  }

  /// Whether times measured with this build are meaningful: a release build without such additions.
  public static var isFitForMeasuring: Bool { !isDebug && burdens.isEmpty }

  private static var isDebug: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  private static var burdens: [String] {
    var burdens = Sanitizer.names
    #if InternalChecks
      burdens.append("InternalChecks")
    #endif
    #if Interleaving
      burdens.append("Interleaving")
    #endif
    return burdens
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
