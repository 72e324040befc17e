#if Interleaving
  import CShims

  // Node memory is handed out in order and not used again before the execution ends; a number per
  // granule of 16 bytes says which node it belongs to, 0 for the gaps between them.
  extension Engine {
    func allocate(_ byteCount: Int, _ alignment: Int, _ site: cws_site) -> UnsafeMutableRawPointer {
      let alignment = max(alignment, Arena.granule)
      let begin = (state.pointee.arenaCount + alignment - 1) & -alignment
      let end = begin + (max(byteCount, 1) + Arena.granule - 1) & -Arena.granule
      let number = counts.pointee.nodeCount
      precondition(
        end + Arena.granule <= Arena.byteCount && number < Recordings.nodeCapacity,
        "an execution allocates more nodes than can be watched")
      markGranules(state.pointee.arenaCount..<begin, 0)
      markGranules(begin..<end, UInt32(number + 1))
      markGranules(end..<end + Arena.granule, 0)
      state.pointee.arenaCount = end + Arena.granule
      counts.pointee.nodeCount = number + 1
      let memory = UnsafeMutableRawPointer(state.pointee.arena + begin)
      memory.initializeMemory(as: UInt8.self, repeating: Arena.fresh, count: end - begin)
      let step = record(
        .allocate, site, address: UInt(bitPattern: memory), value: UInt64(byteCount))
      note(node: number, ofStep: step)
      let lane = currentLane
      state.pointee.recordings.nodes[number] = Node(
        offset: begin, byteCount: end - begin, isLive: true, allocationLane: Int32(lane),
        allocationTime: lane < 0 || !state.pointee.hasClocks ? 0 : currentClock[lane],
        allocationStep: Int32(step), reclaimStep: -1, accesses: Clock(),
        accessSteps: SIMD8<Int32>())
      return memory
    }

    private func markGranules(_ bytes: Range<Int>, _ mark: UInt32) {
      let first = bytes.lowerBound / Arena.granule
      (state.pointee.granules + first).update(
        repeating: mark, count: bytes.count / Arena.granule)
    }

    func deallocate(_ memory: UnsafeMutableRawPointer, _ site: cws_site) {
      let offset = self.offset(of: UInt(bitPattern: memory))
      guard offset < UInt(Arena.byteCount) else { return memory.deallocate() }
      let step = record(.deallocate, site, address: UInt(bitPattern: memory))
      guard let node = node(at: offset), node.pointee.offset == Int(offset) else {
        fail(.strayAccess, site)
      }
      if !node.pointee.isLive {
        fail(.doubleReclaim, self.site(ofStep: Int(node.pointee.reclaimStep)), site)
      }
      note(node: node - state.pointee.recordings.nodes, ofStep: step)
      if let user = lastUnorderedUser(of: node) { fail(.reclaimedInUse, user, site) }
      node.pointee.isLive = false
      node.pointee.reclaimStep = Int32(step)
      memory.initializeMemory(
        as: UInt8.self, repeating: Arena.reclaimed, count: node.pointee.byteCount)
    }

    /// An access by another thread that did not happen before now.
    private func lastUnorderedUser(of node: UnsafeMutablePointer<Node>) -> cws_site? {
      guard state.pointee.hasClocks, currentLane >= 0 else { return nil }
      if !happenedBefore(
        lane: Int(node.pointee.allocationLane), time: node.pointee.allocationTime)
      {
        return site(ofStep: Int(node.pointee.allocationStep))
      }
      return node.pointee.accesses.laneAhead(of: currentClock, except: currentLane).map {
        site(ofStep: Int(node.pointee.accessSteps[$0]))
      }
    }

    /// Checks that the memory which the step uses is a live node's, or nobody's.
    @inline(__always)
    func checkNode(at address: UInt, _ step: Int) {
      let offset = offset(of: address)
      if offset < UInt(Arena.byteCount) { checkNode(offset: offset, step) }
    }

    private func checkNode(offset: UInt, _ step: Int) {
      let site = site(ofStep: step)
      guard let node = node(at: offset) else { fail(.strayAccess, site) }
      note(node: node - state.pointee.recordings.nodes, ofStep: step)
      if !node.pointee.isLive {
        fail(.useAfterReclaim, site, self.site(ofStep: Int(node.pointee.reclaimStep)))
      }
      let lane = currentLane
      guard lane >= 0, state.pointee.hasClocks else { return }
      if !happenedBefore(
        lane: Int(node.pointee.allocationLane), time: node.pointee.allocationTime)
      {
        fail(.dataRace, self.site(ofStep: Int(node.pointee.allocationStep)), site)
      }
      node.pointee.accesses.replaceLane(lane, with: currentClock)
      node.pointee.accessSteps[lane] = Int32(truncatingIfNeeded: step)
    }

    @inline(__always)
    func offset(of address: UInt) -> UInt { address &- UInt(bitPattern: state.pointee.arena) }

    @inline(__always)
    private func node(at offset: UInt) -> UnsafeMutablePointer<Node>? {
      guard offset < UInt(state.pointee.arenaCount) else { return nil }
      let number = state.pointee.granules[Int(offset) / Arena.granule]
      return number == 0 ? nil : state.pointee.recordings.nodes + Int(number - 1)
    }

    @inline(__always)
    private func note(node: Int, ofStep step: Int) {
      state.pointee.recordings.trace[step].node = UInt32(truncatingIfNeeded: node &+ 1)
    }

    /// Fails if a node was not given back.
    func checkLeaks() {
      let nodes = state.pointee.recordings.nodes
      let leaked = (0..<counts.pointee.nodeCount).count { nodes[$0].isLive }
      if leaked > 0 {
        counts.pointee.failure.count = leaked
        fail(.leak, cws_site())
      }
    }
  }
#endif
