#if Interleaving
  import CShims

  extension Engine {
    /// A plain access to a node: no scheduling point, since whatever comes between it and the next
    /// atomic step of another thread is found by the order of the two, not by their times.
    func access(_ address: UnsafeRawPointer, isWrite: Bool, _ site: cws_site) {
      let address = UInt(bitPattern: address)
      guard offset(of: address) < UInt(Arena.byteCount) else { return }
      let step = record(isWrite ? .write : .read, site, address: address)
      checkNode(at: address, step)
      guard state.pointee.hasClocks, currentLane >= 0 else { return }
      let (index, isNew) = state.pointee.wordTable.index(of: address)
      let word = state.pointee.words + index
      if isNew { word.initialize(to: PlainWord()) }
      checkWrite(of: word, site)
      if isWrite {
        checkReads(of: word, site)
        word.pointee.writeLane = Int32(currentLane)
        word.pointee.writeTime = currentClock[currentLane]
        word.pointee.writeStep = Int32(step)
      } else {
        word.pointee.reads.replaceLane(currentLane, with: currentClock)
        word.pointee.readSteps[currentLane] = Int32(step)
      }
    }

    private func checkWrite(of word: UnsafeMutablePointer<PlainWord>, _ site: cws_site) {
      if !happenedBefore(lane: Int(word.pointee.writeLane), time: word.pointee.writeTime) {
        fail(.dataRace, self.site(ofStep: Int(word.pointee.writeStep)), site)
      }
    }

    private func checkReads(of word: UnsafeMutablePointer<PlainWord>, _ site: cws_site) {
      if let lane = word.pointee.reads.laneAhead(of: currentClock, except: currentLane) {
        fail(.dataRace, self.site(ofStep: Int(word.pointee.readSteps[lane])), site)
      }
    }
  }
#endif
