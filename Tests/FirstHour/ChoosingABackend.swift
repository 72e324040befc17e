import Choosing
import WeakCollections

struct Connection { let isOpen: Bool }
let connections: AtomicDictionary<String, Connection> = ["here": Connection(isOpen: true)]
let host = "here"
// ChoosingABackend.md 1
// ChoosingABackend.md 2
// ChoosingABackend.md 3
// ChoosingABackend.md 5
known["a"] = 1
print(known.updateValue(2, forKey: "a") ?? 0, selected.isEmpty, isOpen)
// prints 1 true true

if true {
  // ChoosingABackend.md 4
  sizes["a"] = 1
  print(sizes.profile?.collection == .dictionary)
  // prints true
}
