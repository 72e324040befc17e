#if Interleaving
  import CShims

  extension Engine {
    func fail(_ kind: FailureRecord.Kind, _ first: cws_site, _ second: cws_site) -> Never {
      counts.pointee.failure.kind = kind
      counts.pointee.failure.first = first
      counts.pointee.failure.second = second
      leave()
    }

    func fail(_ kind: FailureRecord.Kind, _ site: cws_site, _ message: String = "") -> Never {
      let bytes = Array(message.utf8.prefix(Recordings.messageCapacity))
      state.pointee.recordings.message.update(from: bytes, count: bytes.count)
      counts.pointee.messageCount = bytes.count
      fail(kind, site, cws_site())
    }

    func failEndless() -> Never {
      state.pointee.suspended >= 0
        ? fail(
          .lostProgress, cws_site(),
          "\(name(state.pointee.suspended)) is suspended, and the others do not end")
        : fail(.stepsWithoutEnd, cws_site())
    }

    /// Nobody can go on, ever.
    func failWaiting() -> Never {
      let waiting = (0..<state.pointee.threadCount).filter {
        threads[$0].wait != .none || $0 == state.pointee.current && state.pointee.isAlone
      }
      let words = waiting.map { "\(name($0)) waits for \(reason(threads[$0].wait))" }
      let message = words.joined(separator: ", ")
      state.pointee.suspended >= 0
        ? fail(
          .lostProgress, cws_site(), "\(name(state.pointee.suspended)) is suspended, and \(message)"
        )
        : fail(.deadlock, cws_site(), message)
    }

    private func name(_ thread: Int) -> String {
      state.pointee.execution!.takeUnretainedValue().name(of: thread)
    }

    private func reason(_ wait: VirtualThread.Wait) -> String {
      switch wait {
      case .lock: "a lock"
      case .word: "a wake-up"
      case .thread: "a thread's end"
      case .none: "what nobody else can do"
      }
    }
  }
#endif
