import ContractTesting
import Testing
import WeakCollections

private typealias YourDictionary = MutexDictionary
private typealias YourWeakArray = MutexWeakArray
private typealias YourWeakSet = MutexWeakSet
private typealias YourInterner = MutexWeakValueDictionary

/// The examples in the comments of `ContractTesting`.
@Suite(.timeLimit(.minutes(10))) struct ContractCommentsTests {
  struct Pair: ContractItem {
    let contractNumber: Int
    let object: CountedObject?
    static func contractItem(_ number: Int) -> Pair { Pair(contractNumber: number, object: nil) }
    static func contractItem(holding object: CountedObject) -> Pair {
      Pair(contractNumber: object.number, object: object)
    }
  }

  @Test func `one line checks every contract`() async throws {
    try await checkContract(of: YourDictionary<Int, Int>.self)
    try await checkContract(of: YourDictionary<CountedObject, CountedObject>.self)
    try await checkContract(of: YourWeakArray<CountedObject>.self)
    try await checkContract(of: YourWeakSet<CountedObject>.self)
    try await checkContract(of: YourInterner<String, CountedObject>.self)
  }

  @Test func `values of a type of one's own hold an object`() async throws {
    let report = try await checkContract(of: YourDictionary<CountedObject, Pair>.self)
    #expect(report.unchecked == [])
  }

  @Test func `contracts are checked one by one`() async {
    for contract in Contract<YourDictionary<Int, Int>>.all where contract.need == nil {
      print(contract.name, await contract.breaches().isEmpty)
    }
  }
}
