import Testing

// Every backend keeps every contract of its protocol. The contracts themselves are the product
// ContractTesting; its own tests show that each of them can be broken.

@Suite(.timeLimit(.minutes(10))) struct DictionaryContractTests {
  @Test(arguments: ContractCase<DictionaryItems>.all(conserving: false))
  func `0.6, 0.e, 0.g, 0.r a dictionary keeps its contracts`(
    _ contract: ContractCase<DictionaryItems>
  ) async throws {
    #expect(try await contract.breaches() == [])
  }
}

@Suite(.timeLimit(.minutes(10))) struct WeakArrayContractTests {
  @Test(arguments: ContractCase<WeakItems>.arrays(conserving: false))
  func `0.5, 0.10, 0.f, 0.g, 0.h a weak array keeps its contracts`(
    _ contract: ContractCase<WeakItems>
  ) async throws {
    #expect(try await contract.breachesOfArray() == [])
  }
}

@Suite(.timeLimit(.minutes(10))) struct WeakSetContractTests {
  @Test(arguments: ContractCase<WeakItems>.sets(conserving: false))
  func `a weak set keeps its contracts`(_ contract: ContractCase<WeakItems>) async throws {
    #expect(try await contract.breachesOfSet() == [])
  }
}

@Suite(.timeLimit(.minutes(10))) struct WeakValueDictionaryContractTests {
  @Test(arguments: ContractCase<WeakValueBackend>.all)
  func `a dictionary with weak values keeps its contracts`(
    _ contract: ContractCase<WeakValueBackend>
  ) async throws {
    #expect(try await contract.breaches() == [])
  }
}

/// Many operations by many threads: nothing is lost, nothing is invented, everything created ends.
///
/// `scripts/test --conservation` makes more operations, in an optimized build.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ConservationTests {
  @Test(arguments: ContractCase<DictionaryItems>.all(conserving: true))
  func `0.10 a dictionary conserves its values`(
    _ contract: ContractCase<DictionaryItems>
  ) async throws {
    #expect(try await contract.breaches() == [])
  }

  @Test(arguments: ContractCase<WeakItems>.arrays(conserving: true))
  func `0.10 a weak array conserves its elements`(
    _ contract: ContractCase<WeakItems>
  ) async throws {
    #expect(try await contract.breachesOfArray() == [])
  }

  @Test(arguments: ContractCase<WeakItems>.sets(conserving: true))
  func `a weak set conserves its elements`(_ contract: ContractCase<WeakItems>) async throws {
    #expect(try await contract.breachesOfSet() == [])
  }
}
