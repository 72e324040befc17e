import Testing
import WeakCollections

/// The examples in the comments of `WeakCollections`.
struct CollectionCommentsTests {
  private protocol MyDelegate: AnyObject {}

  private final class Listener: MyDelegate {
    var heard = 0
    func hear() { heard += 1 }
  }

  private final class View {}

  private struct Size: Equatable {
    var width: Int
    var height: Int
  }

  private final class Image {
    let name: String
    init(named name: String) { self.name = name }
  }

  @Test func `a property holds its delegates weakly`() {
    let delegate = Listener()
    @WeakArray var delegates: [any MyDelegate] = []
    $delegates.append(delegate)
    $delegates.append(Listener())
    #expect(delegates.map(ObjectIdentifier.init) == [ObjectIdentifier(delegate)])
  }

  @Test func `a view has a size`() {
    let view = View()
    var sizes = WeakKeyDictionary<View, Size>()
    sizes[view] = Size(width: 1, height: 1)
    #expect(sizes[view] == Size(width: 1, height: 1))
  }

  @Test func `an image is made once`() {
    let name = "logo"
    var images = WeakValueDictionary<String, Image>()
    let image = images.value(forKey: name, orInsert: { Image(named: name) })
    #expect(images.value(forKey: name, orInsert: { Image(named: name) }) === image)
  }

  @Test func `a set calls its listeners`() {
    let listener = Listener()
    var listeners: WeakSet<Listener> = []
    listeners.insert(listener)
    for listener in listeners { listener.hear() }
    #expect(listener.heard == 1)
  }

  @Test func `a weak object calls its listener`() {
    let listener = Listener()
    let reference = WeakObject(listener)
    reference.value?.hear()
    #expect(listener.heard == 1)
  }

  @Test func `an atomic array calls its listeners`() {
    let listener = Listener()
    let listeners = AtomicWeakArray<Listener>()
    listeners.append(listener)
    listeners.forEach { $0.hear() }
    #expect(listener.heard == 1)
  }

  @Test func `an atomic dictionary counts visits`() {
    let visits = AtomicDictionary<String, Int>()
    visits["home"] = 1
    visits.update("home") { $0 = ($0 ?? 0) + 1 }
    print(visits["home"] ?? 0)  // 2
    #expect(visits["home"] == 2)
  }

  @Test func `an atomic set holds each object once`() {
    let listener = Listener()
    let listeners = AtomicWeakSet<Listener>()
    listeners.insert(listener)
    listeners.insert(listener)  // Does nothing: the set holds each object once.
    listeners.forEach { $0.hear() }
    #expect(listener.heard == 1)
  }
}
