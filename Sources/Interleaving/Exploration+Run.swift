#if Interleaving
  extension Exploration {
    /// Runs executions in this process until one fails; each calls `scenario` anew.
    ///
    /// What a failed execution had made and not yet given back is never given back.
    public func run(_ scenario: @escaping (Execution) -> Void) -> Outcome {
      withEngine(scenario) { engine in
        let clock = ContinuousClock()
        let elapsed = clock.measure {
          engine.explore(self, to: end)
        }
        return engine.outcome(of: self, elapsed: elapsed)
      }
    }

    /// The number after that of the last execution.
    var end: UInt64 { UInt64(firstExecution) + UInt64(executions) }

    func withEngine(
      _ scenario: @escaping (Execution) -> Void, _ body: (Engine) -> Outcome
    ) -> Outcome {
      precondition(Execution.current == nil, "a scenario cannot explore another")
      let engine = EnginePool.take(stepLimit: stepLimit)
      let execution = Execution(engine: engine)
      execution.scenario = scenario
      engine.prepare(self, execution)
      defer { EnginePool.giveBack(engine) }
      return withExtendedLifetime(execution) { body(engine) }
    }
  }
#endif
