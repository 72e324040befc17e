import WeakCollections

final class Listener: Sendable {
  func hear(_ message: String) { print(message) }
}
// GettingStarted.md 1
let radio = Radio()
let hearer = Listener()
radio.add(hearer)
radio.add(Listener())
radio.say("said once")
// prints said once

// GettingStarted.md 2
print(visits)
// prints ["home": 1]

// GettingStarted.md 3
// GettingStarted.md 4
print(images["logo"] === logo, sizes[logo] ?? 0, images.contains(key: "icon"))
// prints true 42 false
