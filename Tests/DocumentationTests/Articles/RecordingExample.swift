import Choosing
import Foundation
import WeakCollections

private final class Page: Sendable {}

/// The example of recording in `docs/benchmarking.md`. It only compiles: it would write a file.
private func runExample() throws {
  // RecordingWeakArray for weak arrays.
  let pages = RecordingDictionary(AtomicDictionary<URL, Page>())
  // … the program runs …
  try pages.profile?.json.write(to: URL(filePath: "profile.json"))
}
