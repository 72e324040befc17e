/// The sums that a fit of the universal scalability law needs of its points, whichever they are.
///
/// A bootstrap fits thousands of samples: so what it draws is turned into sums once, and sums add up.
struct LeastSquares {
  /// A point divided by its *n* ÷ *X*: so errors are relative, and the left side is 1.
  private struct Row {
    /// What stands before 1 ÷ *λ*, *σ* ÷ *λ* and *κ* ÷ *λ*.
    let factors: [Double]
    /// Of each factor with each, row by row.
    let products: [Double]

    init(_ point: UniversalScalability.Point) {
      let n = Double(point.threads)
      let weight = point.throughput / n
      let factors = [weight, weight * (n - 1), weight * n * (n - 1)]
      self.factors = factors
      products = factors.flatMap { factor in factors.map { factor * $0 } }
    }
  }

  struct Fit {
    /// Of 1, *n* − 1 and *n* (*n* − 1); 0 for a term left out.
    var coefficients: [Double]
    /// The sum of the squares.
    var error: Double
  }

  private var factors = [0.0, 0, 0]
  private var products = [Double](repeating: 0, count: 9)
  private var count = 0.0

  init(of points: some Sequence<UniversalScalability.Point>) {
    for point in points { add(Row(point)) }
  }

  private mutating func add(_ row: Row) {
    for index in factors.indices { factors[index] += row.factors[index] }
    for index in products.indices { products[index] += row.products[index] }
    count += 1
  }

  /// As if the points of the other had been added one by one.
  mutating func add(_ other: LeastSquares) {
    for index in factors.indices { factors[index] += other.factors[index] }
    for index in products.indices { products[index] += other.products[index] }
    count += other.count
  }

  /// The best fit with these terms alone; `nil` if it breaks a bound.
  func fit(terms: [Int]) -> Fit? {
    // Columns of about the same size, whatever the throughputs are.
    let scales = terms.map { products[4 * $0].squareRoot() }
    guard scales.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    let matrix = zip(terms, scales).map { row, height in
      zip(terms, scales).map { column, width in products[3 * row + column] / height / width }
    }
    let right = zip(terms, scales).map { factors[$0] / $1 }
    guard let solution = Self.solve(matrix, right) else { return nil }
    guard solution[0] > 0, solution.allSatisfy({ $0 >= 0 }) else { return nil }
    var coefficients = [0.0, 0, 0]
    for (index, term) in terms.enumerated() { coefficients[term] = solution[index] / scales[index] }
    // At the least, the residuals stand at a right angle on what was fitted.
    let error = count - zip(solution, right).reduce(0) { $0 + $1.0 * $1.1 }
    return Fit(coefficients: coefficients, error: error)
  }

  /// Gauss's elimination with pivots; `nil` if the matrix is singular.
  private static func solve(_ matrix: [[Double]], _ right: [Double]) -> [Double]? {
    var rows = zip(matrix, right).map { $0 + [$1] }
    let count = rows.count
    for column in 0..<count {
      let pivot = (column..<count).max { abs(rows[$0][column]) < abs(rows[$1][column]) }
      guard let pivot, abs(rows[pivot][column]) > 1e-12 else { return nil }
      rows.swapAt(column, pivot)
      for row in 0..<count where row != column {
        let factor = rows[row][column] / rows[column][column]
        for index in column...count { rows[row][index] -= factor * rows[column][index] }
      }
    }
    return (0..<count).map { rows[$0][count] / rows[$0][$0] }
  }
}
