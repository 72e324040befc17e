import LeakMonitoring
import NIOCore
import Synchronization

/// A connection of a client.
final class Session: ChannelInboundHandler, MemoryLeakMonitorable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The number of sessions that may be alive; the monitor reports more.
  var max: Int { 1000 }

  private let grace: Duration
  private var byteCount = 0
  private var respond: (ByteBuffer) -> ByteBuffer = { $0 }

  /// Creates a session.
  ///
  /// - Parameter leaks: Whether the session holds itself: its closure captures `self` strongly.
  init(leaks: Bool, grace: Duration) {
    self.grace = grace
    if leaks {
      respond = { self.counted($0) }
    } else {
      respond = { [weak self] in self?.counted($0) ?? $0 }
    }
    MemoryLeakMonitor.validate(self)
  }

  private func counted(_ buffer: ByteBuffer) -> ByteBuffer {
    byteCount += buffer.readableBytes
    return buffer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.write(wrapOutboundOut(respond(unwrapInboundIn(data))), promise: nil)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.flush()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// Expects the end of this session: the connection is closed, and the channel no longer holds it.
  func handlerRemoved(context: ChannelHandlerContext) {
    MemoryLeakMonitor.expectDeallocation(of: self, within: grace)
  }
}

/// Creates and numbers the sessions, from 1.
final class SessionFactory: Sendable {
  private let leakEvery: Int
  private let grace: Duration
  private let created = Atomic(0)

  init(leakEvery: Int, grace: Duration) {
    self.leakEvery = leakEvery
    self.grace = grace
  }

  // Relaxed, both: the number orders no other memory.
  var count: Int { created.load(ordering: .relaxed) }

  func make() -> Session {
    let number = created.wrappingAdd(1, ordering: .relaxed).newValue
    return Session(leaks: leakEvery > 0 && number.isMultiple(of: leakEvery), grace: grace)
  }
}
