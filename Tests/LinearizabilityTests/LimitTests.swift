import Linearizability
import Testing

/// Searches that take long, and those that must not.
@Suite struct LimitTests {
  private typealias Register = RegisterModel<Int>
  private typealias Keyed = KeyedModel<Register, Int>

  /// Writes that all overlap, and then a read of what nobody wrote.
  private static func unreadable(writes: Int) -> History<Register.Input, Register.Output> {
    let end = UInt64(writes) + 1
    var operations = (0..<writes).map { number in
      Operation<Register.Input, Register.Output>(
        worker: number, call: UInt64(number), return: end, input: .write(number), output: .written)
    }
    operations.append(
      Operation(worker: 0, call: end + 1, return: end + 2, input: .read, output: .value(-1)))
    return History(operations)
  }

  @Test func `a search that takes too many steps does not know`() {
    let checker = Checker(Register(), stepLimit: 1000)
    guard case .unknown(.steps(1000)) = checker.check(Self.unreadable(writes: 12)) else {
      Issue.record("a verdict after 1,000 steps")
      return
    }
  }

  @Test func `a search that takes too long does not know`() {
    let limit = Duration.milliseconds(5)
    let checker = Checker(Register(), timeLimit: limit)
    guard case .unknown(.time(limit)) = checker.check(Self.unreadable(writes: 24)) else {
      Issue.record("a verdict where 400 million configurations are to be searched")
      return
    }
  }

  @Test func `what led nowhere is not tried again`() {
    // 8! orders, but 8 x 2^7 configurations: a set of writes, and the last of them.
    let history = Self.unreadable(writes: 8)
    #expect(Checker(Register(), stepLimit: 20_000).check(history).isIllegal)
    #expect(Checker(Register(), stepLimit: 20_000, memory: 0).check(history).isUnknown)
    #expect(Checker(Register(), memory: 0).check(history).isIllegal)
  }

  @Test func `a long history takes a step for each operation where none overlap`() {
    let operations = (0..<10_000).map { number in
      Operation<Register.Input, Register.Output>(
        worker: 0, call: UInt64(number) * 2, return: UInt64(number) * 2 + 1,
        input: number.isMultiple(of: 2) ? .write(number) : .read,
        output: number.isMultiple(of: 2) ? .written : .value(number - 1))
    }
    #expect(Checker(Register(), stepLimit: 10_000).check(History(operations)).isLinearizable)
  }

  @Test(arguments: [63, 64, 65, 200])
  func `any number of operations may be under way`(pending: Int) {
    var operations = (0..<pending).map { number in
      Operation<Register.Input, Register.Output>(
        worker: number, call: 0, return: nil, input: .write(number), output: nil)
    }
    for value in [pending - 1, 0] {
      let start = UInt64(operations.count)
      operations.append(
        Operation(
          worker: 0, call: start, return: start, input: .read, output: .value(value)))
    }
    #expect(Checker(Register()).check(History(operations)).isLinearizable)
    // Each write happens at most once, so its value does not come back.
    let start = UInt64(operations.count)
    operations.append(
      Operation(
        worker: 0, call: start, return: start, input: .read, output: .value(pending - 1)))
    let verdict = Checker(Register(), stepLimit: 200_000).check(History(operations))
    #expect(!verdict.isLinearizable)
  }

  @Test(arguments: [0, 10])
  func `a part that takes long does not hide an illegal one`(writes: Int) {
    func unreadable(writes: Int, on key: Int) -> [Operation<Keyed.Input, Keyed.Output>] {
      Self.unreadable(writes: writes).operations.map { operation in
        Operation(
          worker: operation.worker, call: operation.call, return: operation.return,
          input: Keyed.Input(operation.input, on: key), output: operation.output)
      }
    }
    let hard = unreadable(writes: 24, on: 0)
    let checker = Checker(Keyed(Register()), stepLimit: 400_000)
    #expect(checker.check(History(hard + unreadable(writes: writes, on: 1))).isIllegal)
    #expect(checker.check(History(hard)).isUnknown)
  }

  /// Reads, then appends of one letter each that all overlap, and a read of them in an order.
  private static func appends(
    of letters: String, readAs text: String, after reads: Int
  ) -> History<DictionaryInput<Int, String>, DictionaryOutput<String>> {
    typealias Recorded = Operation<DictionaryInput<Int, String>, DictionaryOutput<String>>
    func read(at stamp: Int, _ text: String?) -> Recorded {
      Recorded(
        worker: 0, call: UInt64(stamp), return: UInt64(stamp), input: DictionaryInput(.get, 0),
        output: .value(text))
    }
    let appends = letters.map { letter in
      Recorded(
        worker: 1, call: UInt64(reads), return: UInt64(reads),
        input: DictionaryInput(.append("\(letter)"), 0), output: .done)
    }
    let before = (0..<reads).map { read(at: $0, nil) }
    return History(before + appends + [read(at: reads + 1, text)])
  }

  @Test func `a search whose time is up calls nothing illegal`() {
    // The clock is read after 1,024 steps, wherever in the search that is.
    let checker = Checker(DictionaryModel<Int, String>(), timeLimit: .zero)
    var unknown = 0
    for reads in stride(from: 0, to: 1024, by: 3) {
      let verdict = checker.check(Self.appends(of: "abcdef", readAs: "fedcba", after: reads))
      #expect(!verdict.isIllegal, "after \(reads) reads")
      if verdict.isUnknown { unknown += 1 }
    }
    #expect(unknown > 0)
  }
}
