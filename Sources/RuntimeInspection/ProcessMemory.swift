import CRuntimeInspection

/// The memory of this process or of another one. Every read may fail, because an address may be
/// invalid.
struct ProcessMemory {
  let process: Int32

  /// Returns the value of a trivial type at an address; nil if the address is invalid.
  func value<Value>(at address: UInt, as type: Value.Type) -> Value? {
    withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      let isRead = cri_read_process(
        process, address, buffer.baseAddress!, MemoryLayout<Value>.size)
      return isRead ? buffer[0] : nil
    }
  }

  /// Returns the word at an address; nil if the address is invalid.
  func word(at address: UInt) -> UInt? { value(at: address, as: UInt.self) }

  /// Returns the target of the relative address at `address`; nil if it is 0 or cannot be read.
  func target(at address: UInt) -> UInt? {
    guard let offset = value(at: address, as: Int32.self), offset != 0 else { return nil }
    return address &+ UInt(bitPattern: Int(offset))
  }

  /// Returns the target of a relative address. If the lowest bit of the address is set, the address
  /// leads to a pointer to the target.
  func indirectableTarget(at address: UInt) -> UInt? {
    guard let target = target(at: address) else { return nil }
    return target & 1 == 0 ? target : word(at: target & ~1)
  }

  /// Returns the bytes before the next zero byte, in pieces until at least `most` are read; nil if
  /// the address is invalid.
  private func bytes(at address: UInt, most: Int = 512) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < most {
      // A piece never crosses a page boundary, because the next page may not exist.
      let place = address &+ UInt(bytes.count)
      var piece = [UInt8](repeating: 0, count: Int(64 - place % 64))
      guard cri_read_process(process, place, &piece, piece.count) else { return nil }
      bytes += piece.prefix { $0 != 0 }
      if piece.contains(0) { break }
    }
    return bytes
  }

  /// Returns the text at an address; nil if the address is invalid.
  func text(at address: UInt) -> String? {
    bytes(at: address).map { String(decoding: $0, as: UTF8.self) }
  }
}
