import ContractTesting
import StressTesting
import Testing
import YourCollection

@Test func `your dictionary keeps the contract`() async throws {
  try await checkContract(of: YourDictionary<CountedObject, CountedObject>.self)
  try await checkContract(of: YourDictionary<Int, Int>.self)
}

@Test func `your dictionary is linearizable`() async throws {
  try await stress(makeSubject: { YourDictionary<Int, Int>() }, model: [Int: Int]()) {
    StressOperation("value") {
      $0.value(forKey: 0)
    } model: {
      $0[0]
    }
    StressOperation("getOrInsert", 1...4) { dictionary, value in
      dictionary.value(forKey: 0, orInsert: { value })
    } model: { dictionary, value in
      if dictionary[0] == nil { dictionary[0] = value }
      return dictionary[0]!
    }
    StressOperation("remove") {
      $0.removeValue(forKey: 0)
    } model: {
      $0.removeValue(forKey: 0)
    }
  }
}
