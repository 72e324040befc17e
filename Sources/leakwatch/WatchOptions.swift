import ArgumentParser

/// What `watch` was asked for, word for word; `WatchPlan` finds out what it means.
struct WatchOptions: ParsableArguments {
  @Flag(help: "Watch a small program inside this one, which leaks.")
  var demo = false

  @Flag(help: "Read what is in the file now, and end.")
  var once = false

  @Option(
    parsing: .unconditional,
    help: "End after so long, also parts such as 0.5. (default: 10 for --demo, else never)")
  var seconds: String?

  @Option(help: "Known leaks: all else fails, and so does what is known but not found.")
  var baseline: String?

  @Option(help: "Write what leaks as known to this file, which is replaced; reasons are kept.")
  var writeBaseline: String?

  @Option(help: "Write the same as a page with charts, ending in .html; it is replaced.")
  var html: String?

  @Flag(help: "Draw nothing before the end.")
  var noProgress = false

  @Argument(help: "Reports as JSON Lines, which another process may still be writing.")
  var file: String?
}
