/// A name for a machine that stays the same from run to run, and is the same for equal machines.
package enum MachineLabel {
  /// Such as `amd-epyc-2c-24gib-debian-12`, of processor model, usable cores, memory and system.
  package static func text(for facts: MachineFacts, cores: Int) -> String {
    let words = [
      facts.cpu.map(processor) ?? "unknown-cpu", "\(cores)c", "\(gibibytes(facts.memoryBytes))gib",
      facts.os.map(system) ?? "unknown-os",
    ]
    return words.joined(separator: "-")
  }

  /// Rounded up: the kernel keeps a little of what is built in, and not always the same.
  private static func gibibytes(_ bytes: UInt64) -> UInt64 {
    (bytes + (1 << 30) - 1) >> 30
  }

  /// Without the frequency, and without words that say nothing.
  private static func processor(_ name: String) -> String {
    let model = name.split(separator: "@").first.map(String.init) ?? name
    let words = slug(model).split(separator: "-").filter {
      !["r", "tm", "cpu", "processor"].contains($0)
    }
    return words.isEmpty ? "unknown-cpu" : words.joined(separator: "-")
  }

  /// The name and the first number: a point release is the same system.
  private static func system(_ name: String) -> String {
    let words = slug(name).split(separator: "-").filter { !["gnu", "linux", "lts"].contains($0) }
    guard let version = words.firstIndex(where: { $0.first?.isNumber == true }) else {
      return words.prefix(2).joined(separator: "-")
    }
    return words[...version].joined(separator: "-")
  }

  /// Lower-case letters and digits, with one hyphen for everything between them.
  private static func slug(_ text: String) -> String {
    let kept = text.lowercased().map { $0.isASCIIAlphanumeric ? $0 : " " }
    return String(kept).split(separator: " ").joined(separator: "-")
  }
}

extension Character {
  package var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
