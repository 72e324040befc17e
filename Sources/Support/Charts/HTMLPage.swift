/// A self-contained HTML page: it needs no network, and its text and tables no script.
package struct HTMLPage {
  private let title: String
  private let keys: [LegendKey]
  private let body: Markup

  /// - Parameters:
  ///   - title: The title of the page.
  ///   - keys: The keys of the lines in the charts.
  ///   - body: The content of the page. The script sorts its table whose `id` is `rows`.
  package init(title: String, keys: [LegendKey], body: Markup) {
    self.title = title
    self.keys = keys
    self.body = body
  }

  /// The text of the page.
  ///
  /// Its content security policy prevents a browser from loading anything, even if a name in the
  /// page contains a link.
  package var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" \
    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
    <link rel="icon" href="data:,">
    <title>\(title.escapedForMarkup)</title>
    <style>
    \(PageStyle.text(for: keys))
    </style>
    </head>
    <body>
    \(Markup("svg", ["class": "marks"], LegendKey.marks(of: keys)).rendered)
    \(body.rendered)
    <script>
    \(PageScript.text)
    </script>
    </body>
    </html>

    """
  }

  /// Returns a legend. A click on a key hides its line in all charts.
  ///
  /// - Parameter label: A description of the keys for screen readers.
  package static func legend(of keys: [LegendKey], label: String) -> Markup {
    let keys = keys.map { key in
      Markup(
        "span", ["class": "key \(key.className)", "data-class": key.className],
        LegendSample(key).svg, Markup(text: key.text))
    }
    return Markup("nav", ["class": "legend", "aria-label": label], keys.joined())
  }

  /// Returns a chart for a page. `name` must be unique in the page.
  package static func figure(_ name: String, _ chart: Chart) -> Markup {
    Markup("figure", ["data-chart": name], lines: [ChartDrawing(chart).svg])
  }

  /// Returns a part that a reader opens.
  package static func folded(_ title: String, _ lines: [Markup]) -> Markup {
    Markup("details", lines: [Markup("summary", Markup(text: title))] + lines)
  }

  /// Returns a part whose content the script adds to the page when a reader opens it. A page with
  /// hundreds of charts then loads fast.
  package static func drawnOnDemand(_ title: String, _ lines: [Markup]) -> Markup {
    folded(title, [Markup("template", lines: lines)])
  }

  /// Returns a table that scrolls inside the page.
  ///
  /// - Parameters:
  ///   - head: The titles of the columns, from `title(_:isRow:class:)`.
  ///   - rows: The rows, which are `tr` elements.
  ///   - isSortable: Whether a click on a title sorts the table. A page has one such table.
  ///   - isMap: Whether the table is a dense map of short words.
  package static func table(
    caption: String? = nil, head: [Markup], rows: [Markup], isSortable: Bool = false,
    isMap: Bool = false
  ) -> Markup {
    let parts = [
      caption.map { Markup("caption", Markup(text: $0)) } ?? .empty,
      Markup("thead", Markup("tr", head.joined())), Markup("tbody", lines: rows),
    ]
    let table =
      isSortable
      ? Markup("table", ["id": "rows"], lines: parts)
      : Markup("table", ["class": isMap ? "matrix map" : "matrix"], lines: parts)
    return Markup("div", ["class": isSortable ? "scroll tall" : "scroll"], table)
  }

  /// Returns the title of a column or, if `isRow` is true, of a row.
  package static func title(
    _ text: String, isRow: Bool = false, class name: String? = nil
  ) -> Markup {
    Markup("th", ["scope": isRow ? "row" : "col", "class": name], Markup(text: text))
  }

  /// Returns a cell for a number, such as `FigureUnit` formats it.
  package static func cell(_ text: String) -> Markup { Markup("td", Markup(text: text)) }

  /// Returns a cell for a count; `nil` stands for a count that is unknown.
  package static func cell(_ count: Int?) -> Markup {
    cell(count.map(NumberText.count) ?? NumberText.missing)
  }

  /// Returns a cell for a text.
  package static func textCell(_ text: String) -> Markup {
    Markup("td", ["class": "text"], Markup(text: text))
  }
}

/// The style sheet of a page, for light and dark mode, desktops and phones.
private enum PageStyle {
  static func text(for keys: [LegendKey]) -> String {
    """
    :root{color-scheme:light dark;\(Palette.day)}
    @media (prefers-color-scheme:dark){:root{\(Palette.night)}}
    \(page)
    \(Palette.rules(for: keys))
    """
  }

  private static let page = """
    *{box-sizing:border-box}
    html{scroll-padding-top:6rem}
    body{margin:0;background:var(--paper);color:var(--ink);
      font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
    header,main{max-width:76rem;margin:0 auto;padding:0 1rem}
    main{padding-bottom:4rem}
    h1{font-size:1.5rem;line-height:1.2;margin:.7rem 0 .2rem}
    h2{font-size:1.25rem;margin:2.2rem 0 .6rem}
    header h2{font-size:1rem;font-weight:400;color:var(--soft);margin:.2rem 0}
    h3{font-size:1.2rem;margin:2.4rem 0 .3rem;padding-top:.8rem;border-top:2px solid var(--ink)}
    h4{font-size:1.05rem;margin:0}
    p{margin:.3rem 0 .8rem;max-width:62rem}
    a{color:inherit;text-underline-offset:.2em;text-decoration-color:var(--soft)}
    .soft{color:var(--soft)}
    .warning{border-left:4px solid var(--hue-1);padding-left:.7rem}
    .facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(12.5rem,1fr));gap:.5rem 1.2rem;
      margin:0 0 1rem;padding:.8rem 1rem;background:var(--shade);border-radius:8px}
    dt{font-size:.75rem;color:var(--soft)}
    dd{margin:0;font-size:.87rem}
    .verdicts{padding-left:1.1rem;max-width:62rem}
    .verdicts li{margin:.25rem 0}
    .legend{position:sticky;top:0;z-index:2;display:flex;gap:.1rem;overflow-x:auto;
      white-space:nowrap;padding:.45rem max(1rem,calc((100vw - 74rem)/2));background:var(--paper);
      border-bottom:1px solid var(--rule);font-size:.83rem}
    .key{display:inline-flex;align-items:center;gap:.35rem;padding:.15rem .5rem;border:0;
      border-radius:6px;background:none;color:inherit;font:inherit;flex:none;max-width:18rem;
      overflow:hidden;text-overflow:ellipsis}
    button.key{cursor:pointer}
    button.key:hover{background:var(--shade)}
    .key[aria-pressed=false]{opacity:.35;text-decoration:line-through}
    .sample{flex:none}
    .marks{display:none}
    article{margin:1.2rem 0;padding:1rem;border:1px solid var(--rule);border-radius:10px}
    article p{font-size:.87rem}
    .charts{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}
    .charts.small{grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));margin-top:.8rem}
    .charts.alone{max-width:38rem}
    figure{margin:0;min-width:0}
    [data-panel] tbody th{white-space:normal;min-width:7rem}
    figure svg{display:block;width:100%;height:auto}
    details{margin-top:.7rem}
    summary{cursor:pointer;color:var(--soft);font-size:.9rem}
    summary:hover{color:var(--ink)}
    .retained{font-size:.87rem}
    .retained ul{list-style:none;margin:0;padding:0 0 0 .8rem;border-left:1px solid var(--rule)}
    .retained>ul{padding:0;border:0}
    .retained details{margin:0}
    .retained li.soft{padding:.15rem 1.3rem}
    .line{display:grid;grid-template-columns:1fr repeat(4,5.2rem);gap:.5rem;padding:.15rem .4rem;
      border-radius:4px;color:var(--ink);background:linear-gradient(to right,
      color-mix(in srgb,var(--hue-0) 18%,transparent) var(--share,0%),transparent var(--share,0%))}
    .line>:not(.name){text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
    .line .name{position:relative;padding-left:1.1em}
    .line .name::before{position:absolute;left:0;color:var(--soft)}
    details>.line .name::before{content:"▸"}
    details[open]>.line .name::before{content:"▾"}
    .line.head{position:sticky;top:0;background:var(--paper);color:var(--soft);
      border-bottom:1px solid var(--rule);border-radius:0}
    .scroll{overflow-x:auto;overflow-wrap:normal;margin:.6rem 0}
    .tall{max-height:36rem;overflow-y:auto;border:1px solid var(--rule);border-radius:8px}
    table{border-collapse:collapse;font-size:.83rem;white-space:nowrap}
    caption{text-align:left;color:var(--soft);padding:.4rem 0}
    th,td{text-align:left;padding:.28rem .7rem;border-bottom:1px solid var(--rule);max-width:24rem;
      overflow:hidden;text-overflow:ellipsis}
    th{font-weight:600}
    td:not([class]),.number{text-align:right;font-variant-numeric:tabular-nums}
    .matrix thead th.beyond::after{content:" *";color:var(--soft)}
    .answers h3{margin:.5rem 0 .1rem;padding-top:0;border-top:0}
    .answers p{margin:.1rem 0 .3rem;font-size:.9rem}
    .answers .scroll{margin:.2rem 0}
    .map{font-size:.78rem;line-height:1.25}
    .map th,.map td{padding:.13rem .5rem}
    .map a{text-decoration:none}
    .map a:hover,.map a:focus-visible{text-decoration:underline}
    .won{box-shadow:inset 4px 0 var(--hue);font-weight:600;
      background:color-mix(in srgb,var(--hue) 18%,transparent)}
    .won small,.open{color:var(--soft);font-weight:400}
    th.beyond{background:var(--shade)}
    #rows thead th{position:sticky;top:0;background:var(--paper);box-shadow:inset 0 -1px var(--rule)}
    #rows thead th[tabindex]{cursor:pointer}
    #rows thead th[tabindex]:hover{background:var(--shade)}
    [aria-sort=ascending]::after{content:" ▲"}
    [aria-sort=descending]::after{content:" ▼"}
    :focus-visible{outline:2px solid var(--hue-0);outline-offset:1px}
    @media (min-width:60rem){.legend{flex-wrap:wrap}}
    @media (max-width:40rem){.line{grid-template-columns:repeat(4,1fr);gap:0 .5rem}
      .line .name{grid-column:1/-1}.line>:not(.name){font-size:.78rem;color:var(--soft)}
      .retained ul{padding-left:.45rem}
      article{padding:.7rem .6rem}h1{font-size:1.4rem}
      .charts:not(.small) .chart text{font-size:16px}.charts:not(.small) .chart .title{font-size:18px}
      .facts{grid-template-columns:repeat(auto-fill,minmax(8rem,1fr))}}
    @media print{.legend{position:static;flex-wrap:wrap}.tall{max-height:none}article{break-inside:avoid}}
    """
}

/// The script of a page, which sorts the table and hides lines.
private enum PageScript {
  static let text = """
    "use strict";
    (() => {
      const table = document.getElementById("rows"), body = table.tBodies[0];
      const titles = [...table.tHead.rows[0].cells];
      const sizes = \(FigureUnit.sizesForScript);
      const value = (row, column) => {
        const text = row.cells[column].textContent;
        if (!titles[column].classList.contains("number")) return text;
        const number = parseFloat(text.replaceAll(",", ""));
        return isNaN(number) ? null : number * (sizes[text.split(" ")[1]] ?? 1);
      };
      // Missing values come last in both directions.
      const compare = (a, b, sign) =>
        a === null || b === null ? (a === null) - (b === null)
        : sign * (typeof a === "number" ? a - b : a.localeCompare(b, "en", {numeric: true}));
      const sort = column => {
        const isUp = titles[column].getAttribute("aria-sort") !== "ascending";
        titles.forEach(title => title.removeAttribute("aria-sort"));
        titles[column].setAttribute("aria-sort", isUp ? "ascending" : "descending");
        const rows = [...body.rows].map(row => [value(row, column), row]);
        rows.sort((a, b) => compare(a[0], b[0], isUp ? 1 : -1));
        body.append(...rows.map(row => row[1]));
      };
      titles.forEach((title, column) => {
        title.tabIndex = 0;
        title.addEventListener("click", () => sort(column));
        title.addEventListener("keydown", event => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          sort(column);
        });
      });
      // A style sheet hides lines, also in charts that are drawn later.
      const hidden = new Set(), style = document.head.appendChild(document.createElement("style"));
      for (const key of document.querySelectorAll(".legend .key")) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = key.className;
        button.title = "Hide or show in all charts";
        button.setAttribute("aria-pressed", "true");
        button.append(...key.childNodes);
        button.addEventListener("click", () => {
          const isShown = button.getAttribute("aria-pressed") !== "true";
          button.setAttribute("aria-pressed", String(isShown));
          hidden[isShown ? "delete" : "add"](`figure g.${key.dataset.class}`);
          style.textContent = hidden.size ? `${[...hidden]}{display:none}` : "";
        });
        key.replaceWith(button);
      }
      const draw = part => part.querySelector(":scope > template")?.replaceWith(
        part.querySelector(":scope > template").content);
      for (const part of document.querySelectorAll("details:has(> template)")) {
        part.addEventListener("toggle", () => draw(part), {once: true});
      }
      // A link to a workload opens its charts.
      const openTarget = () => {
        const part = document.getElementById(location.hash.slice(1))?.querySelector("details");
        if (part) part.open = true;
      };
      addEventListener("hashchange", openTarget);
      openTarget();
    })();
    """
}
