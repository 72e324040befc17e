import WeakCollections

protocol Hearing: AnyObject {}
final class Listener: Hearing, Sendable {}

// Every member of the synchronous collections, called in asynchronous functions without `await`.
// `scripts/test-backends` compiles this file with every other backend in place of `Mutex`, with
// `some` and `any`, and with `Actor`, which must not compile.

func call(_ dictionary: MutexDictionary<String, Int>) async -> Int {
  dictionary.setValue(1, forKey: "a")
  dictionary["b"] = dictionary["a"]
  dictionary.update("a") { $0 = ($0 ?? 0) + 4 }
  var sum = dictionary.value(forKey: "c", orInsert: { 3 }) + dictionary["d", default: 4]
  sum += dictionary.value(forKey: "a") ?? 0
  sum += dictionary.values(forKeys: ["a", "b"]).compactMap { $0 }.count
  sum += dictionary.withValue(forKey: "a") { $0 } ?? 0
  sum += dictionary.snapshot.count + dictionary.count
  dictionary.forEach { _, value in sum += value }
  sum += dictionary.updateValue(5, forKey: "a") ?? 0
  sum += dictionary.isEmpty || !dictionary.contains(key: "a") ? 1 : dictionary.keys.count
  sum += dictionary.removeAll(where: { _, value in value > 4 })
  sum += dictionary.description.count
  dictionary.removeValue(forKey: "a")
  dictionary.removeAll()
  return sum
}

func call(_ array: MutexWeakArray<Listener>, _ listener: Listener) async -> Int {
  var heard = array.append(listener)
  array.forEach { _ in heard += 1 }
  for _ in array.all { heard += array.count + array.entryCount + array.compact() }
  if array.isEmpty || array.description.isEmpty { heard += 1 }
  if array.contains(listener) { array.remove(listener) }
  array.removeAll()
  return heard
}

func call(_ set: MutexWeakSet<Listener>, _ listener: Listener) async -> Int {
  var heard = set.insert(listener).entries
  set.forEach { _ in heard += 1 }
  for _ in set.all { heard += set.count + set.entryCount + set.compact() + set.compact(atLeast: 1) }
  if set.isEmpty || set.description.isEmpty { heard += 1 }
  if set.contains(listener) { set.remove(listener) }
  set.removeAll()
  return heard
}

func call(_ values: MutexWeakValueDictionary<Int, Listener>, _ listener: Listener) async -> Int {
  values.setValue(listener, forKey: 1)
  var heard = values.value(forKey: 1) === values.value(forKey: 2, orInsert: { listener }) ? 1 : 0
  heard += values.withValue(forKey: 1) { _ in 1 } ?? 0
  for _ in values.all { heard += values.count + values.entryCount + values.compact() }
  values[2] = values[1]
  if values.isEmpty || values.description.isEmpty || !values.contains(key: 1) { heard += 1 }
  heard += values.keys.count + (values.updateValue(listener, forKey: 3) == nil ? 1 : 0)
  values.removeValue(forKey: 1)
  values.removeAll()
  return heard
}

// A closure of a task, and an actor.
actor Caller {
  let listeners = MutexWeakArray<Listener>()

  func call(_ listener: Listener) async -> Int {
    listeners.append(listener)
    var heard = 0
    listeners.forEach { _ in heard += 1 }
    return await Task { [listeners] in
      listeners.append(listener)
      return listeners.count
    }.value + heard
  }
}
