import ContractTesting
import Testing
import YourCollection

@Test func `your dictionary keeps the contract`() async throws {
  try await checkContract(of: YourDictionary<CountedObject, CountedObject>.self)
  try await checkContract(of: YourDictionary<Int, Int>.self)
}
