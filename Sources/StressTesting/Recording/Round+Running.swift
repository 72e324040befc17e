import EpochReclamation

extension Round {
  /// Runs all steps of a thread, which the caller is; `start` starts the threads born on the way.
  func run(
    _ thread: Int, on target: any SynchronousTarget, startingOthersBy start: (Int) -> Void
  ) {
    let plan = scenario.threads[thread]
    func runSteps() {
      for step in plan.steps.indices {
        startThreads(bornBefore: step, of: thread, start)
        perform(step, of: thread, on: target)
      }
      startThreads(bornBefore: plan.steps.count, of: thread, start)
    }
    if plan.isPinned { domain.pin { runSteps() } } else { runSteps() }
  }

  /// Runs all steps of a thread of a target that may suspend.
  func run(_ thread: Int) async {
    for step in scenario.threads[thread].steps.indices { await perform(step, of: thread) }
  }

  private func startThreads(bornBefore step: Int, of thread: Int, _ start: (Int) -> Void) {
    let birth = Birth(parent: thread, step: step)
    for child in scenario.threads.indices where scenario.threads[child].birth == birth {
      start(child)
    }
  }
}
