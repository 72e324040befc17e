// Has the dead leave the rosters of classes that get no new instances.
//
// A roster is swept by additions to it. One whose instances die and that gets no more would keep their entries,
// and with weak slots that hold it their memory. So additions to any class pay for all: each earns a look
// at one entry, and a roster is compacted when as many looks are earned as it has entries. A round goes over
// all rosters; so after e additions the dead of every class that had no addition have left, e being the entries
// of all classes, their number, and `additionsAPayment` for each class that has additions.
//
// What stays of a class whose instances are all dead: its roster, with an empty set, until `removeAll`.
// It is reused when there are instances again; to take it away would cost every addition a look whether its
// roster is still the one.

import WeakCollections

/// Which rosters are to be compacted next.
final class RosterRounds<Instances: SynchronousWeakSet<AnyObject>>: Sendable {
  private struct State {
    var looks = 0
    var left: [Roster<Instances>] = []
  }

  /// How many additions to one roster are paid in at once.
  static var additionsAPayment: Int { 256 }

  private let state = MutexLock(State())

  /// Compacts what the looks paid in suffice for.
  ///
  /// - Parameter all: every roster, for the next round.
  func pay(all: () -> [Roster<Instances>]) {
    let (due, isOver) = state.write { state in
      state.looks += Self.additionsAPayment
      var due: [Roster<Instances>] = []
      while let next = state.left.last, next.entryCount < state.looks {
        state.looks -= next.entryCount + 1
        due.append(state.left.removeLast())
      }
      return (due, state.left.isEmpty)
    }
    // Outside the lock: what has to be promoted to be asked may die here.
    for roster in due { roster.compact() }
    if isOver { begin(all()) }
  }

  private func begin(_ all: [Roster<Instances>]) {
    state.write { state in
      // Another may have begun.
      guard state.left.isEmpty else { return }
      state.left = all
      state.looks = 0
    }
  }

  func removeAll() {
    // The result, so that rosters are released outside the lock.
    _ = state.write { state in
      defer { state = State() }
      return state
    }
  }
}
