extension Search {
  struct Configuration: Hashable {
    let position: Int
    let placed: Slots
    let state: Model.State
  }

  /// A configuration at a frame's return: that of `parent` with one more operation placed.
  struct Node {
    let placed: Slots
    let state: Model.State
    let parent: Int
    let slot: Int
  }

  struct Frame {
    let position: Int
    let placed: Slots
    let orderCount: Int
    /// `nil` if there is nothing else to place.
    let state: Model.State?
    /// The slot of the operation that returns.
    let returning: Int
    /// All but the first, which is `placed` and `state`; so they count from 1.
    var nodes: [Node] = []
    /// The node at which the returning operation was placed last.
    var current = 0
    /// The states besides those tried to which that led.
    var alternatives: [Model.State] = []
  }
}
