import Charts

/// Every class with its figures, which a click on a column's title sorts.
struct LeakTable {
  let subjects: [LeakPage.Subject]

  var html: String {
    let numbers = ["live", "max", "leaked", "late"].map {
      "<th scope=\"col\" class=\"number\">\($0)</th>"
    }
    return """
      <div class="scroll tall"><table id="rows">
      <thead><tr><th scope="col">class</th>\(numbers.joined())</tr></thead>
      <tbody>
      \(subjects.map(row).joined(separator: "\n"))
      </tbody></table></div>
      """
  }

  private func row(_ subject: LeakPage.Subject) -> String {
    let counts = [subject.live, subject.max, subject.leaked, subject.late]
    return "<tr><td>\(subject.name.escapedForMarkup)</td>\(counts.map(HTMLPage.cell).joined())</tr>"
  }
}
