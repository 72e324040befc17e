import Tunes

@main
struct Play {
  static func main() {
    Player().play()
  }
}
