import Measurements

extension Measurement.Shares {
  /// As `--mix` takes it.
  package var mixText: String {
    let shares = [
      ("read", read), ("insert", insert), ("update", update), ("remove", remove),
      ("iterate", iterate),
    ]
    return shares.filter { $0.1 > 0 }.map { "\($0.0)=\($0.1)" }.joined(separator: ",")
  }
}
