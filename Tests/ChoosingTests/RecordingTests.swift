import Choosing
import Foundation
import Primitives
import Testing
import Threading
import WeakCollections

struct RecordingTests {
  private final class Object: Sendable {}

  @Test func `without operations there is no profile`() {
    #expect(RecordingDictionary(LockFreeDictionary<Int, Int>()).profile == nil)
    #expect(RecordingWeakArray(LockFreeWeakArray<NSObject>()).profile == nil)
  }

  @Test func `a dictionary's operations are counted by kind`() throws {
    let dictionary = RecordingDictionary<LockFreeDictionary<Int, Int>>()
    for key in 0..<20 { dictionary[key] = key }
    for key in 0..<50 { #expect(dictionary[key] == (key < 20 ? key : nil)) }
    _ = dictionary.values(forKeys: [1, 2, 3])
    _ = dictionary.withValue(forKey: 4) { $0 }
    #expect(dictionary.value(forKey: 1, orInsert: { 7 }) == 1)
    #expect(
      dictionary.update(2) { value in
        value! += 1; return value
      } == 3)
    for key in 0..<10 { dictionary.removeValue(forKey: key) }
    _ = dictionary.snapshot
    dictionary.forEach { _, _ in }
    #expect(dictionary.count == 10 && dictionary.base.count == 10)
    let profile = try #require(dictionary.profile)
    let all = 20 + 54 + 1 + 1 + 10 + 2.0
    #expect(profile.shares.read == 100 * 54 / all && profile.shares.insert == 100 * 21 / all)
    #expect(profile.shares.update == 100 / all && profile.shares.remove == 100 * 10 / all)
    #expect(profile.shares.iterate == 100 * 2 / all)
    #expect(profile.collection == .dictionary && profile.synchronousOnly)
    #expect(profile.threads == 1 && profile.cores == Host.usableCores)
  }

  @Test func `asynchronous code uses a recorded collection without await`() async {
    let dictionary = RecordingDictionary<MutexDictionary<String, Int>>()
    dictionary.setValue(1, forKey: "a")
    dictionary["b"] = dictionary["a"]
    dictionary.setValue(dictionary["b", default: 3] + 1, forKey: "b")
    #expect(dictionary.values(forKeys: ["a", "z"]) == [1, nil])
    dictionary.update("a") { $0 = 3 }
    #expect(dictionary.value(forKey: "c", orInsert: { 4 }) == 4)
    #expect(dictionary.updateValue(5, forKey: "c") == 4 && dictionary.contains(key: "c"))
    #expect(dictionary.withValue(forKey: "c", { $0 }) == dictionary.value(forKey: "c"))
    #expect(dictionary.removeAll(where: { _, value in value > 4 }) == 1)
    #expect(dictionary.removeValue(forKey: "b") == 2)
    dictionary.forEach { key, value in #expect(dictionary.snapshot == [key: value]) }
    #expect(Array(dictionary.keys) == ["a"] && dictionary.count == 1)
    #expect(dictionary.description == #"["a": 3]"#)
    dictionary.removeAll()
    #expect(dictionary.isEmpty && dictionary.profile != nil)

    let array = RecordingWeakArray<MutexWeakArray<Object>>()
    let object = Object()
    #expect(array.append(object) == 1 && array.contains(object) && !array.isEmpty)
    array.forEach { #expect($0 === object) }
    #expect(array.all.count == 1 && array.count == 1 && array.entryCount == 1)
    #expect(array.compact() == 0 && array.description.contains("Object"))
    #expect(array.remove(object))
    array.removeAll()
    #expect(array.profile != nil)
  }

  @Test func `the number of entries is the mean of many samples`() throws {
    let dictionary = RecordingDictionary(MutexDictionary<Int, Int>())
    for key in 0..<1024 { dictionary[key] = key }
    for key in 0..<102_400 { _ = dictionary[key & 1023] }
    let entries = try #require(dictionary.profile).entries
    #expect(entries > 900 && entries <= 1024)
  }

  @Test func `the number of entries of a short recording is the number at its end`() throws {
    let dictionary = RecordingDictionary(MutexDictionary<Int, Int>())
    for key in 0..<200 { dictionary[key] = key }
    #expect(dictionary.profile?.entries == 200)
    let array = RecordingWeakArray(LockFreeWeakArray<Object>())
    var objects = (0..<200).map { _ in Object() }
    objects.forEach { array.append($0) }
    objects.removeLast(100)
    let profile = try #require(array.profile)
    #expect(profile.entries == array.entryCount)
    #expect(profile.liveFraction == 100 / Double(profile.entries))
    #expect(objects.count == 100)
  }

  @Test func `a profile counts only threads that are about equally busy`() async throws {
    let dictionary = RecordingDictionary(LockFreeDictionary<Int, Int>())
    // All threads exist before any begins, so their numbers differ.
    _ = await onOwnThreads(8) { worker in
      for key in 0..<(worker == 0 ? 10 : 1000) { dictionary[key] = key }
    }
    // Two threads with the same stripe, one pair in 64, count as one.
    #expect((3...7).contains(try #require(dictionary.profile).threads))
  }

  @Test func `a weak array's operations and dead elements are counted`() throws {
    let array = RecordingWeakArray(LockFreeWeakArray<Object>())
    var objects = (0..<100).map { _ in Object() }
    objects.forEach { array.append($0) }
    for object in objects.prefix(20) { #expect(array.remove(object)) }
    #expect(!array.remove(objects[0]))
    #expect(array.contains(objects[50]))
    objects.removeLast(40)
    #expect(array.all.count == 40 && array.count == 40)
    array.compact()
    let profile = try #require(array.profile)
    let all = 100 + 21 + 1 + 2 + 1.0
    #expect(profile.shares.insert == 100 * 100 / all && profile.shares.remove == 100 * 21 / all)
    #expect(profile.shares.read == 100 / all && profile.shares.update == 100 / all)
    #expect(profile.churn == 40 / all)
    #expect(objects.count == 60)
  }

  @Test func `the chooser accepts a recorded profile`() throws {
    let dictionary = RecordingDictionary(MutexDictionary<Int, Int>())
    for key in 0..<300 { dictionary[key % 64] = key }
    let profile = try #require(dictionary.profile)
    let chooser = Chooser(calibration: Calibration([.dictionary(.mutex, 1)]), key: .here)
    var mine = profile
    mine.cores = CalibrationKey.here.cores
    #expect(chooser.recommendation(for: mine).backend == .mutex)
    let json = try #require(
      try JSONSerialization.jsonObject(with: profile.json) as? [String: Any])
    #expect(json["shares"] as? [String: Int] == ["insert": 100])
    #expect(json["collection"] as? String == "dictionary")
    #expect(json["churn"] == nil && json["workload"] == nil)
  }

  @Test func `shares in the file sum to 100`() throws {
    var profile = WorkloadProfile.dictionary(
      shares: OperationShares(read: 100 / 3.0, insert: 100 / 3.0, remove: 100 / 3.0))
    (profile.liveFraction, profile.memoryWeight) = (0.5, 0.25)
    let json = try #require(
      try JSONSerialization.jsonObject(with: profile.json) as? [String: Any])
    let shares = try #require(json["shares"] as? [String: Int])
    #expect(shares.values.reduce(0, +) == 100 && shares.count == 3)
    #expect(json["liveFraction"] as? Double == 0.5 && json["memoryWeight"] as? Double == 0.25)
  }

  @Test(arguments: [1, 50, 400.0])
  func `shares that do not sum to 100 are normalized`(_ sum: Double) throws {
    let profile = WorkloadProfile.dictionary(
      shares: OperationShares(read: 0.75 * sum, insert: 0.25 * sum))
    #expect(try Self.fields(of: profile)["shares"] as? [String: Int] == ["read": 75, "insert": 25])
    let nothing = WorkloadProfile.dictionary(shares: OperationShares())
    #expect(try Self.fields(of: nothing)["shares"] == nil)
  }

  @Test func `the file of a named workload leaves out the properties that the workload determines`()
    throws
  {
    var profile = WorkloadProfile.dictionary(workload: "churn")
    (profile.liveFraction, profile.churn) = (0.5, 0.5)
    let fields = try Self.fields(of: profile)
    #expect(fields["workload"] as? String == "churn" && fields["shares"] == nil)
    #expect(fields["liveFraction"] == nil && fields["churn"] == nil)
  }

  private static func fields(of profile: WorkloadProfile) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: profile.json) as? [String: Any])
  }
}
