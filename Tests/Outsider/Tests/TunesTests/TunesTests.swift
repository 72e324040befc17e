import LeakTesting
import Testing
import Tunes

@Test(.noLeaks(paths: .shown())) func `a player plays and goes`() {
  let player = track(Player())
  player.play()
}
