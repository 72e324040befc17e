import ContractTesting
import StressTesting
import Testing
import YourCollection

@Test func `your dictionary keeps the contract`() async throws {
  try await checkContract(of: YourDictionary<CountedObject, CountedObject>.self)
  try await checkContract(of: YourDictionary<Int, Int>.self)
}

@Test func `your dictionary is linearizable`() async throws {
  try await stress(dictionary: { YourDictionary<StressKey, StressObject>() })
}
