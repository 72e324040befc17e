import EpochReclamation
import Primitives
import WeakReferences

extension LockFreeWeakArray {
  /// Has `directory`, which is closed, replaced; when this returns, it is.
  @inline(never)
  func replace(
    _ directory: SlotDirectory, for closing: SlotWord.Closing, promoted: inout PromotedObjects
  ) {
    if let successor = directory.successor { return exchangeRoot(directory, for: successor) }
    var rebuild = SlotRebuild<Element>(of: directory)
    let proposal = rebuild.successor(for: closing, promoted: &promoted)
    HaltPoint.betweenAtomics.reach()
    let agreed = directory.agree(on: proposal)
    exchangeRoot(directory, for: agreed)
    guard agreed == proposal || Defect.loserGoesOn.isPlanted else {
      for segment in rebuild.fresh { segment.deallocate() }
      return proposal.deallocate()
    }
    proposal.checkInvariants()
    domain.retire(directory.memory, as: SlotDirectory.self)
    for segment in rebuild.replaced {
      if Defect.segmentFreedAtOnce.isPlanted {
        segment.deallocate()
      } else {
        domain.retire(segment.memory, as: SlotSegment.self)
      }
    }
    for entry in rebuild.dropped where !Defect.droppedNotRetired.isPlanted { retire(entry) }
  }
}
