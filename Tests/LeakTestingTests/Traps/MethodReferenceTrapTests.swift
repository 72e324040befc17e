import LeakTesting
import Testing

final class Button {
  var onTap: (() -> Void)?
}

/// `submit` as a value is a closure that captures the form.
final class BrokenForm {
  let button = Button()
  private(set) var isSubmitted = false

  init() { button.onTap = submit }

  private func submit() { isSubmitted = true }
}

final class FixedForm {
  let button = Button()
  private(set) var isSubmitted = false

  init() { button.onTap = { [weak self] in self?.submit() } }

  private func submit() { isSubmitted = true }
}

struct MethodReferenceTrapTests {
  @Test func `2.16 a method that is used as a closure is reported`() async {
    let leak = await reportedLeak {
      BrokenForm()
    } mend: {
      $0.button.onTap = nil
    }
    #expect(leak?.isHeld(by: ".onTap -> closure") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `2.16 a closure that calls it, and captures weakly, is not`() {
    let form = track(FixedForm())
    form.button.onTap?()
    #expect(form.isSubmitted)
  }
}
