// A process with a million objects, whose snapshots are measured. It prints a line when they exist,
// and ends when its input ends. With the argument `weak`, each object has a weak reference, so its
// reference counts are in a side table.

import Foundation

final class Loaded {
  let numbers: (Int, Int, Int, Int)

  init(_ number: Int) { numbers = (number, number, number, number) }
}

struct WeakReference {
  weak var object: Loaded?
}

let objects = (0..<1_000_000).map(Loaded.init)
let references =
  CommandLine.arguments.contains("weak") ? objects.map { WeakReference(object: $0) } : []
print("ready")
fflush(nil)
while readLine() != nil {}
print(objects.count, references.count)
