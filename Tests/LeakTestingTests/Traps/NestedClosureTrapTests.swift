import LeakTesting
import Testing

/// The outer closure captures the search weakly, but the inner one captures what `guard let self` has made of that.
final class BrokenSearch {
  private(set) var results: [String] = []
  var onSubmit: ((String) -> Void)?
  var onResult: ((String) -> Void)?

  func open() {
    onSubmit = { [weak self] query in
      guard let self else { return }
      onResult = { result in self.results.append("\(query): \(result)") }
    }
  }
}

final class FixedSearch {
  private(set) var results: [String] = []
  var onSubmit: ((String) -> Void)?
  var onResult: ((String) -> Void)?

  func open() {
    onSubmit = { [weak self] query in
      guard let self else { return }
      onResult = { [weak self] result in self?.results.append("\(query): \(result)") }
    }
  }
}

struct NestedClosureTrapTests {
  @Test func `2.14 an inner closure that captures the unwrapped self is reported`() async {
    let leak = await reportedLeak {
      let search = BrokenSearch()
      search.open()
      search.onSubmit?("weak")
      search.onResult?("reference")
      return search
    } mend: {
      $0.onResult = nil
    }
    #expect(
      leak?.isHeld(by: ".onResult -> closure") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `2.14 one that captures it weakly again is not`() {
    let search = track(FixedSearch())
    search.open()
    search.onSubmit?("weak")
    search.onResult?("reference")
    #expect(search.results == ["weak: reference"])
  }
}
