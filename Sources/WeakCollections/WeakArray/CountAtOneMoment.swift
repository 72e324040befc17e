/// How many of `entryCount` objects live, as of one moment, by asking each without promoting it.
///
/// Objects die while they are asked, one that has two entries between the two questions. What is dead stays dead,
/// so two walks that find as many alive find the same: they lived at the moment between the walks. If all
/// live, they did before the first walk too.
///
/// - Parameter walk: asks each object once; returns how many live.
@inline(__always)
func countAtOneMoment(of entryCount: Int, _ walk: () -> Int) -> Int {
  var live = entryCount
  while true {
    let found = walk()
    if found == live { return live }
    live = found
  }
}
