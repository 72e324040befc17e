import Interleaving
import Primitives

/// What can be wrong with the reclamation: each defect or weakened ordering, and a scenario that shows it.
enum ReclamationMutants {
  static var all: [Mutant] { defects + weakenings }

  private static var defects: [Mutant] {
    [
      mutant(.earlyFree, .readers, "memory is reclaimed one epoch after it was retired, not two"),
      mutant(
        .overlookedParticipant, .readers, "an advance does not look at the newest participant"),
      mutant(.advanceByTwo, .readers, "an advance adds two to the epoch"),
      mutant(.stuckEpoch, .bounds, "no advance ever changes the epoch"),
      mutant(.pinInNextEpoch, .readers, "a pin announces the epoch to come"),
      mutant(.earlyUnpin, .readers, "a pin ends before its body begins"),
      mutant(.pinsDoNotNest, .nestedPins, "the end of an inner pin ends the outer one too"),
      mutant(
        .tagFromPin, .pinnedWriters, "a retired node is tagged with the epoch of its retirer's pin"),
      mutant(.doubleRetire, .readers, "a node is retired twice"),
      mutant(.reclaimUnderPin, .bounds, "memory is reclaimed by a thread that is pinned itself"),
      mutant(.limboDroppedAtExit, .succession, "what an ending thread has retired is forgotten"),
      mutant(
        .recordSharedByTwo, .succession, "a new thread takes the record of one that still runs"),
      mutant(
        .participantLost, .readers, "of two threads that register at once one is not in the list"),
      mutant(.misfiledBag, .bounds, "a full bag is put into the list of another epoch"),
      mutant(.restOfBagsDropped, .backlog, "full bags that there is no room for are forgotten"),
      mutant(.bagsTakenTwice, .writers, "full bags are taken by a load and a store"),
      mutant(
        .bagRecycledTooSoon, .writers, "a bag is used again before what is in it is reclaimed"),
      mutant(
        .heavyBarrierLeftOut, .asymmetricReaders,
        "an advance among quiet participants makes no barrier"
      ),
      mutant(
        .announcementSunk, .asymmetricReaders,
        "the store of a quiet pin sinks below the loads under it"),
      mutant(
        .attemptsLeftOut, .bounds,
        "attempts to advance are left out because of the participant's own"),
    ]
  }

  private static var weakenings: [Mutant] {
    [
      mutant(
        "pin-not-sequential", .readers, "the pin's exchange acquires and releases, no more",
        .weakening(
          "EpochDomain+Pinning.swift", "enterLoudly(_:_:)", .update, to: .acquiringAndReleasing)),
      mutant(
        "quiet-not-sequential", .asymmetricWriters,
        "the exchange that makes a participant quiet acquires and releases, no more",
        .weakening(
          "EpochDomain+Pinning.swift", "enterLoudly(_:_:)", .update, to: .acquiringAndReleasing)),
      mutant(
        "loud-not-releasing", .asymmetricWriters,
        "the store that ends a participant's quiet does not release what earlier pins read",
        .weakening("EpochDomain+Retiring.swift", "becomeLoud(_:)", .store, to: .relaxed)),
      mutant(
        "unpin-not-releasing", .readers, "the unpin does not release what was read",
        .weakening("EpochDomain+Pinning.swift", "leave(_:)", .store, to: .relaxed)),
      mutant(
        "scan-not-acquiring", .readers, "an advance loads the participants' states relaxed",
        .weakening(
          "EpochDomain+Advancing.swift", "findBlocker(of:needsBarrier:)", .load, to: .relaxed)),
      mutant(
        "advance-relaxed", .readers, "the exchange of the epoch is relaxed",
        .weakening("EpochDomain+Advancing.swift", "step(barriers:)", .exchange, to: .relaxed)),
      mutant(
        "push-not-releasing", .writers, "a full bag is pushed without releasing its contents",
        .weakening("SealedBags.swift", "push(_:)", .exchange, to: .relaxed)),
      mutant(
        "put-back-not-releasing", .writers, "bags are put back without releasing their contents",
        .weakening("SealedBags.swift", "putBack(_:)", .store, to: .relaxed)),
      mutant(
        "take-not-acquiring", .writers, "full bags are taken without acquiring their contents",
        .weakening("SealedBags.swift", "takeAll()", .update, to: .relaxed)),
      mutant(
        "record-not-acquired", .succession,
        "a record is taken over without acquiring what is in it",
        .weakening("Participant+Taking.swift", "takeEnded()", .exchange, to: .relaxed)),
      mutant(
        "record-not-released", .succession, "a record is given up without releasing what is in it",
        .weakening("EpochDomain+Participants.swift", "leave(_:)", .store, to: .relaxed)),
      mutant(
        "record-not-published", .writers, "a new record is put into the list by a relaxed exchange",
        .weakening("ParticipantList.swift", "insert(_:)", .exchange, to: .relaxed)),
      mutant(
        "list-not-acquired", .writers, "the list of participants is loaded relaxed",
        .weakening("ParticipantList.swift", "first", .load, to: .relaxed)),
    ]
  }

  private static func mutant(
    _ defect: Defect, _ scenario: ReclamationScenario, _ text: String
  ) -> Mutant {
    mutant(defect.rawValue, scenario, text, .defect(defect))
  }

  private static func mutant(
    _ name: String, _ scenario: ReclamationScenario, _ text: String, _ planting: Planting
  ) -> Mutant {
    Mutant(name, .reclamation, text, .reclamation(scenario, planting))
  }
}
