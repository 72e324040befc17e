import Choosing
import Foundation
import WeakCollections

private final class Page: Sendable {}

/// The README's example of recording, compiled alone: it writes a file.
private func runExample() throws {
  // RecordingWeakArray for weak arrays.
  let pages = RecordingDictionary(AtomicDictionary<URL, Page>())
  // … the program runs …
  try pages.profile?.json.write(to: URL(filePath: "profile.json"))
}
