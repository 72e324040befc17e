import Testing
import Threading
import WeakCollections

/// How many dead entries an array may hold beside the living, whatever their number.
@Suite(.timeLimit(.minutes(10))) struct WeakArrayRoomTests {
  @Test(arguments: Backend.supporting(.weakArray))
  func `entries are at most twice the living and 64`(_ backend: Backend) async throws {
    let census = Census()
    for living in stride(from: 1, through: 401, by: 8) {
      let array = try await backend.weakArray(of: Counted.self)
      let kept = (0..<living).map { Counted($0, in: census) }
      for element in kept { await array.append(element) }
      var most = await array.entryCount
      for number in 0..<1500 {
        let entryCount = await array.append(Counted(number, in: census))
        most = max(most, entryCount)
      }
      #expect(most <= 2 * living + 64, "\(living) live")
      withExtendedLifetime(kept) {}
    }
  }
}
