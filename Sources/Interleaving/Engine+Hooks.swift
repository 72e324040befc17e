#if Interleaving
  import CShims

  extension Engine {
    /// What `Primitives` calls. Each finds the engine of its thread.
    static var hooks: cws_scheduler {
      cws_scheduler(
        load: { address, ordering, site in
          Engine.current.load(UnsafeMutablePointer(mutating: address!), ordering, site)
        },
        store: { Engine.current.store($0!, $1, $2, $3) },
        compare_exchange: { Engine.current.compareExchange($0!, $1, $2, $3, $4, $5) },
        begin_update: { Engine.current.beginUpdate($0!, $1, $2) },
        end_update: { Engine.current.endUpdate($0!, $1) },
        allocate: { Engine.current.allocate($0, $1, $2) },
        deallocate: { Engine.current.deallocate($0!, $1) },
        access: { Engine.current.access($0!, isWrite: $1, $2) },
        wait: { Engine.current.wait($0!, $1, $2) },
        wake_one: { Engine.current.wakeOne($0!, $1) },
        wake_all: { Engine.current.wakeAll($0!, $1) },
        barrier: { Engine.current.barrier($0) },
        spin: { Engine.current.spin($0) },
        lock: { Engine.current.lock($0!, isExclusive: $1, $2) },
        unlock: { Engine.current.unlock($0!, isExclusive: $1, $2) },
        step: { Engine.current.mark($0) },
        last_release: { Engine.current.lastRelease(of: $0!, $1) },
        at_exit: { handler, value in
          let engine = Engine.current
          engine.threads[engine.state.pointee.current].exitHandler = handler
          engine.threads[engine.state.pointee.current].exitValue = value
        },
        // The scenario is 1: no thread of a system has the number 0.
        thread_number: { UInt64(Engine.current.state.pointee.current + 1) })
    }
  }
#endif
