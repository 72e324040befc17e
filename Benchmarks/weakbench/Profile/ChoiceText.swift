import Choosing
import Reporting
import WeakCollections

/// What `choose` answers.
struct ChoiceText {
  let profile: WorkloadProfile
  let recommendation: Recommendation

  var text: String {
    let backend = recommendation.backend
    let cost = recommendation.prediction.map {
      ", about \(NumberText.amount($0.nanosecondsPerOperation.median)) ns an operation"
    }
    return """
      \(backend.rawValue)\(cost ?? "")
      asked: \(question)
      why: \(recommendation.reason)
      type: \(backend.typeName(for: profile.collection)); as the default: --traits \(backend.trait)
      """
  }

  private var question: String {
    let shares = profile.shares
    let mix = [
      ("read", shares.read), ("insert", shares.insert), ("update", shares.update),
      ("remove", shares.remove), ("iterate", shares.iterate),
    ].filter { $0.1 > 0 }.map { "\($0.0)=\(NumberText.short($0.1))" }.joined(separator: ",")
    return [
      profile.collection.rawValue, profile.workload, mix,
      "\(profile.threads) thread\(profile.threads == 1 ? "" : "s")",
      "\(profile.cores) core\(profile.cores == 1 ? "" : "s")", "size \(profile.size)",
      profile.synchronousOnly ? "without await" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
  }
}
