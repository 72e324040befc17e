/// What can be asked of a weak array, and what happens to its elements.
public enum WeakArrayInput<Element: Hashable & Sendable>: Hashable, Sendable {
  case append(Element)
  /// Removes the earliest entry for the element.
  case remove(Element)
  case removeAll
  case contains(Element)
  /// Asks for the live elements, in order.
  case snapshot
  /// Asks how many entries have a live element.
  case count
  /// The element's death, from before its owner gives up the last strong reference that it knows of to
  /// after the `deinit` was seen.
  ///
  /// Somebody who got the element from the array may keep it alive, and so the call under way, for
  /// longer; an element that was never seen to die has a call without a return.
  case die(Element)
}

/// What a weak array answers.
public enum WeakArrayOutput<Element: Hashable & Sendable>: Hashable, Sendable {
  /// To `append`, `removeAll` and `die`.
  case done
  /// To `remove`, whether there was an entry; to `contains`, whether there is one.
  case found(Bool)
  case elements([Element])
  case count(Int)
}
