// A process with a million objects, whose snapshots are measured. It prints a line when they exist,
// and ends when its input ends.

final class Loaded {
  let numbers: (Int, Int, Int, Int)

  init(_ number: Int) { numbers = (number, number, number, number) }
}

let objects = (0..<1_000_000).map(Loaded.init)
print("ready")
while readLine() != nil {}
print(objects.count)
