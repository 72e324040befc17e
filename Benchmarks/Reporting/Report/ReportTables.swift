import Charts
import Measurements

extension Panel {
  /// Returns a table of the winners of each workload of a collection at each number of threads.
  ///
  /// - Parameter anchor: The page's anchor for a panel.
  static func winnerTable(of panels: [Panel], anchor: (Panel) -> String) -> Markup {
    let threads = panels.flatMap(\.threads).withoutRepetitions.sorted()
    let cores = panels[0].cores
    let titles = threads.map { count in
      HTMLPage.title(NumberText.count(count, "thread"), class: count > cores ? "beyond" : nil)
    }
    let rows = panels.map { panel in
      let link = "#\(anchor(panel))"
      let cells = threads.map {
        PanelContest(of: panel, threads: $0).cell(linkingTo: link)
      }
      return Markup(
        "tr", Markup("th", ["scope": "row"], Markup("a", ["href": link], Markup(text: panel.name))),
        cells.joined())
    }
    return HTMLPage.table(head: [HTMLPage.title("workload")] + titles, rows: rows, isMap: true)
  }

  /// Returns the explanation of the symbols in the table of winners.
  static func winnerTableKey(of panels: [Panel]) -> Markup {
    let isBeyond = panels.contains { panel in panel.threads.contains { $0 > panel.cores } }
    return Markup(
      "p", ["class": "soft"],
      """
      ★ wins (☆ in one session); 2× means that the next takes twice as long. ≈ undecided or \
      equivalent; +3 means with three others, ?1 that one more is undecided although its median is \
      more than twice the best.\(isBeyond ? " * More threads than cores." : "")
      """)
  }

  /// Returns a table of one metric of all workloads and contestants of a collection.
  ///
  /// - Parameter threads: A function that chooses the number of threads for a panel.
  static func table(
    of metric: Metric, panels: [Panel], threads: (Panel) -> Int
  ) -> Markup {
    let keys = panels.flatMap(\.keys).withoutRepetitions
    let rows = panels.map { panel in
      let cells = keys.map { key in
        let spread = panel.series(of: key, threads: threads(panel))?.spread(of: metric)
        return HTMLPage.cell(metric.unit.text(spread?.median))
      }
      return Markup("tr", HTMLPage.title(panel.name, isRow: true), cells.joined())
    }
    let counts = panels.map(threads).withoutRepetitions
    let text =
      counts.count == 1 ? NumberText.count(counts[0], "thread") : "each one's number of threads"
    return HTMLPage.table(
      caption: "\(metric.axisTitle.capitalizedFirst), \(text)",
      head: [HTMLPage.title("workload")] + keys.map { HTMLPage.title($0.text) }, rows: rows)
  }

  /// The tables of one workload's contention: every figure of every contestant at the largest
  /// number of threads, and the law of scalability.
  var contentionTables: Markup {
    let most = threads.last ?? 0
    let figures = Metric.contention.map { metric in
      let cells = keys.map { key in
        series(of: key, threads: most)?.spread(of: metric).map { metric.unit.text($0.median) }
          ?? Self.missing
      }
      return (title: metric.axisTitle.capitalizedFirst, cells: cells)
    }
    return Markup(
      "div", ["data-panel": "contention"],
      lines: [
        Self.table(
          "Contention at \(NumberText.count(most, "thread"))", titles: keys.map(\.text),
          rows: figures),
        scalabilityTable,
      ])
  }

  /// The text for a figure that the host or the contestant does not have.
  private static let missing = "n/a"

  private var scalabilityTable: Markup {
    let rows = keys.compactMap { key in
      scalability[key].map { fit in
        (
          title: key.text,
          cells: ScalabilityCells(fit, cores: cores).all.map {
            $0 == NumberText.missing ? Self.missing : $0
          }
        )
      }
    }
    guard !rows.isEmpty else {
      return Markup(
        "p", ["class": "soft"],
        """
        Scalability: \(Self.missing); the law needs \(ScalabilityFit.threadCountsNeeded) numbers of \
        threads, and at most \(threads.count) were measured.
        """)
    }
    let threads = threads.map { "\($0)\($0 > cores ? " *" : "")" }
    return Self.table(
      "Universal scalability law, over \(threads.joined(separator: ", ")) threads "
        + "(* more than cores)",
      titles: ScalabilityCells.titles, rows: rows)
  }

  private static func table(
    _ caption: String, titles: [String], rows: [(title: String, cells: [String])]
  ) -> Markup {
    HTMLPage.table(
      caption: caption,
      head: [Markup("th", "")] + titles.map { HTMLPage.title($0, class: "number") },
      rows: rows.map { row in
        Markup(
          "tr", HTMLPage.title(row.title, isRow: true),
          row.cells.map { HTMLPage.cell($0) }.joined())
      })
  }
}

extension PanelContest {
  /// Returns a cell that names the leader and links to the workload. Its title has the whole
  /// verdict.
  fileprivate func cell(linkingTo link: String) -> Markup {
    guard let leader = contest.leader, isContest else {
      return Markup("td", ["class": "none"], "\(NumberText.missing)")
    }
    func cell(_ style: String, _ title: String, _ content: Markup...) -> Markup {
      Markup(
        "td", ["class": style],
        Markup(
          "a", ["href": link, "title": "\(NumberText.count(threads, "thread")): \(title)"],
          content.joined())
      )
    }
    let symbol = Mark(of: leader, in: contest).symbol
    if case .won = contest.outcome {
      let factor = "\(NumberText.amount(contest.margin?.ratio))×"
      let second = contest.others.first.map { ", then \($0.name.name), \(factor)" } ?? ""
      let (style, verdict) =
        winner == nil
        ? ("open", "was the fastest in the one session measured")
        : ("won \(leader.className)", "is the fastest")
      return cell(
        style, "\(leader.name) \(verdict)\(second)", "\(symbol) \(leader.name) ",
        Markup("small", "\(factor)"))
    }
    let (near, far) = (close.filter { !contest.outOfRange.contains($0) }, contest.outOfRange)
    let others = [(" +", near.count - 1), (" ?", far.count)].filter { $0.1 > 0 }
      .map { "\($0.0)\($0.1)" }.joined()
    let groups = [(isTied ? "equivalent" : "undecided", near), ("undecided (range)", far)]
      .filter { !$0.1.isEmpty }
    let title = groups.map { "\($0.0): " + $0.1.map(\.name).joined(separator: ", ") }
    return cell(
      "open", title.joined(separator: "; "), "\(symbol) \(leader.name)",
      others.isEmpty ? .empty : Markup("small", Markup(text: others)))
  }
}

extension OpenLoopPanel {
  /// A table with every figure of every contestant in every setting.
  var table: Markup {
    let titles =
      ["backend", "threads", "load", "target", "done", "backlog"]
      + Metric.service.map { "service \($0.title)" }
      + Metric.intended.map { "intended \($0.title)" }
    return HTMLPage.table(
      head: titles.map { HTMLPage.title($0) },
      rows: settings.flatMap(series(in:)).map { series in
        Markup(
          "tr", HTMLPage.title(series.key.text, isRow: true),
          Self.figures(of: series).map { HTMLPage.cell($0) }.joined())
      })
  }

  private static func figures(of series: ReportSeries) -> [String] {
    let pace = series.summary.series.configuration.pace
    let rates = [pace.targetOperationsPerSecond, series.summary.medianOperationsPerSecond]
    let backlog = Spread(series.trials.compactMap { $0.openLoop.backlog.map(Double.init) })
    return [
      NumberText.count(series.threads),
      pace.loadPercent.map { "\($0) %" } ?? NumberText.missing,
    ] + rates.map(FigureUnit.operationsPerSecond.text)
      + [FigureUnit.count.text(backlog?.median)]
      + (Metric.service + Metric.intended).map { $0.unit.text($0.column.figure(of: series.trials)) }
  }
}

extension BenchmarkReport {
  private static let figures =
    [Metric.time, .throughput] + Metric.percentiles + Metric.bytes + [.peakBytes]
    + Metric.contention

  /// A table with every figure of every series. A click on a column's title sorts the rows by it.
  var table: Markup {
    let names = ["collection", "workload", "backend"] + (scopes.count > 1 ? ["where"] : [])
    let numbers =
      ["threads", "trials"] + Self.figures.map(\.axisTitle) + ["least time", "greatest"]
    return HTMLPage.table(
      head: names.map { HTMLPage.title($0) }
        + numbers.map { HTMLPage.title($0, class: "number") },
      rows: scopes.flatMap { scope in
        scope.panels.flatMap { panel in panel.series.map { row($0, panel, scope) } }
      }, isSortable: true)
  }

  private func row(_ series: ReportSeries, _ panel: Panel, _ scope: ReportScope) -> Markup {
    let symbols = series.mark.symbol + series.summary.scatterSymbol
    let mark = symbols.isEmpty ? "" : " \(symbols)"
    let names =
      [panel.configuration.collection, panel.name, series.key.text + mark]
      + (scopes.count > 1 ? [heading(of: scope)] : [])
    let summary = series.summary
    let cells =
      names.map(HTMLPage.textCell)
      + [HTMLPage.cell(series.threads), HTMLPage.cell(summary.trials)]
      + Self.figures.map { HTMLPage.cell($0.unit.text(series.spread(of: $0)?.median)) }
      + [summary.minNanosecondsPerOperation, summary.maxNanosecondsPerOperation].map {
        HTMLPage.cell(FigureUnit.nanoseconds.text($0))
      }
    return Markup("tr", ["class": series.key.className], cells.joined())
  }
}
