/// How many instances of each class lived at the ends of repetitions.
struct GrowthSeries {
  struct Growth {
    let type: AnyClass
    /// Before the first repetition, and after each.
    let counts: [Int]
  }

  private var classes: [ObjectIdentifier: Growth] = [:]
  private var samples = 0

  /// Appends a sample; a class that is not in it has no instance.
  mutating func append(_ liveCounts: [(type: AnyClass, count: Int)]) {
    for sample in liveCounts {
      let identifier = ObjectIdentifier(sample.type)
      var counts = classes[identifier]?.counts ?? []
      counts += repeatElement(0, count: samples - counts.count)
      classes[identifier] = Growth(type: sample.type, counts: counts + [sample.count])
    }
    samples += 1
  }

  /// The classes that had more instances in each sample than in the one before, by name.
  var growing: [Growth] {
    classes.values
      .filter { growth in
        growth.counts.count == samples
          && zip(growth.counts, growth.counts.dropFirst()).allSatisfy { $0 < $1 }
      }
      .sorted { TypeName.stable($0.type) < TypeName.stable($1.type) }
  }
}
