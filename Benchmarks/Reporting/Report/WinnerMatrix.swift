import Charts
import Measurements

/// Who wins each workload of a collection at each number of threads, as an HTML table.
struct WinnerMatrix {
  let panels: [Panel]
  /// The page's anchor for a panel.
  let anchor: (Panel) -> String

  var html: String {
    let threads = panels.flatMap(\.threads).withoutRepetitions.sorted()
    let cores = panels[0].cores
    let titles = threads.map { count in
      "<th scope=\"col\"\(count > cores ? " class=\"beyond\"" : "")>"
        + "\(Panel.threadsText(count))</th>"
    }
    let rows = panels.map { panel in
      let cells = threads.map { cell(Standing(of: panel, threads: $0), isBeyond: $0 > cores) }
      return "<tr><th scope=\"row\"><a href=\"#\(anchor(panel))\">"
        + "\(panel.name.escapedForMarkup)</a></th>\(cells.joined())</tr>"
    }
    return """
      <div class="scroll"><table class="matrix">
      <thead><tr><th scope="col">workload</th>\(titles.joined())</tr></thead>
      <tbody>
      \(rows.joined(separator: "\n"))
      </tbody></table></div>
      """
  }

  private func cell(_ standing: Standing, isBeyond: Bool) -> String {
    let beyond = isBeyond ? " beyond" : ""
    return switch standing.outcome {
    case .won(let key, let ratio):
      "<td class=\"won \(key.className)\(beyond)\">\(key.name.escapedForMarkup) "
        + "<small>\(NumberText.amount(ratio))×</small></td>"
    case .undecided(let keys):
      "<td class=\"open\(beyond)\">≈ "
        + "\(keys.map(\.name).joined(separator: ", ").escapedForMarkup)</td>"
    case .noContest:
      "<td class=\"open\(beyond)\">\(NumberText.missing)</td>"
    }
  }
}
