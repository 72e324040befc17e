import Linearizability

/// A register that may lose what is written, and says "written" either way.
struct LossyRegister: SequentialModel {
  enum Input: Hashable { case read, write(Int) }
  enum Output: Hashable { case value(Int), written }

  var initialState: Int { 0 }

  func partition(of input: Input) -> Int { 0 }

  func successors(of state: Int, after input: Input, returning output: Output?) -> [Int] {
    switch (input, output) {
    case (.read, nil): [state]
    case (.read, .value(let value)): value == state ? [state] : []
    case (.write(let value), nil), (.write(let value), .written): [state, value]
    default: []
    }
  }
}
