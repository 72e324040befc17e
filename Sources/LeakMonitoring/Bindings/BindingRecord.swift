/// What became of a binding.
public enum BindingState: String, Sendable, CaseIterable {
  /// It was not undone, and one of the two lives.
  case bound
  /// It was undone, but one of the two lives on.
  case surviving
  /// It was not undone, though both are gone: an unbinding is missing.
  case abandoned
  /// It was undone, and both are gone.
  case released
  /// An unbinding of what was not bound.
  case unmatched
}

/// A binding in a report; equal to those of which the same can be said.
public struct BindingRecord: Sendable, Hashable {
  public var state: BindingState
  /// The view model's class with its module, as in "App.ProfileModel"; the same in every run.
  public var viewModel: String
  /// The controller's class, if it was bound to one.
  public var controller: String?
  /// The name it was bound by, if it was given one.
  public var name: String?
  /// Whether the view model lives; of an unmatched unbinding not known, and false.
  public var viewModelIsAlive: Bool
  /// Whether the controller lives.
  public var controllerIsAlive: Bool
  /// Whether it was bound while it was bound.
  public var isDoublyBound: Bool
  /// Where it was first bound, or unbound if it never was: the module and the file.
  public var fileID: String
  public var line: Int
}

extension BindingRecord: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    let controller = controller.map { " and \($0)" } ?? ""
    let name = name.map { " (\($0))" } ?? ""
    return "\(viewModel)\(controller)\(name), from \(fileID):\(line): \(judgement)"
      + (isDoublyBound ? "; was bound while it was bound" : "")
  }

  private var judgement: String {
    switch state {
    case .bound: "still bound, alive: \(alive)"
    case .surviving: "unbound, but alive: \(alive)"
    case .abandoned: "gone without being unbound"
    case .released: "released"
    case .unmatched: "unbound without being bound"
    }
  }

  private var alive: String {
    [(viewModelIsAlive, viewModel), (controllerIsAlive, controller)]
      .compactMap { isAlive, name in isAlive ? name : nil }.joined(separator: ", ")
  }
}
