// The checks of a page, which scripts/test-report runs in that page. Each yields its findings; some
// take as an argument what scripts/test-report expects.
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
// The y coordinate for each x coordinate of a line, in pixels from the top.
const points = line => new Map(
  [...(line?.getAttribute("d") ?? "").matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [x, Number(y)]));
// The number in a cell, in ns, bytes or operations per second; null if it was not measured.
const units = {
  "": 1, "%": 1, ns: 1, µs: 1e3, ms: 1e6, s: 1e9, B: 1, kB: 1e3, MB: 1e6, GB: 1e9,
  "/s": 1, "k/s": 1e3, "M/s": 1e6, "G/s": 1e9, "T/s": 1e12,
};
const number = text => {
  if (text === "–") return null;
  const [, digits, unit] = text.match(/^([\d,.]+(?:e[-+]?\d+)?) ?(\D*)$/);
  return Number(digits.replaceAll(",", "")) * units[unit];
};
window.checks = {
  // Opens all parts. Opening a part makes the page draw its charts and the parts inside it.
  async open() {
    for (let closed; (closed = all("details:not([open])")).length > 0;) {
      await Promise.all(closed.map(part => new Promise(done => {
        part.addEventListener("toggle", done, {once: true});
        part.open = true;
      })));
    }
  },
  // The verdicts of one machine are on the first screen, each is a link, and no chart is drawn.
  *first_screen() {
    const maps = all(".map"), cells = all(".map tbody td:not(:has(a)):not(.none)").length;
    const bottom = Math.max(0, ...maps.map(map => map.getBoundingClientRect().bottom + scrollY));
    if (all("header .scope").length === 1 && maps.length <= 2 && bottom > innerHeight)
      yield `the map of verdicts ends at ${bottom} of ${innerHeight} pixels`;
    if (cells > 0) yield `${cells} verdicts cannot be reached with the keyboard`;
    if (all("figure").length > 0) yield "charts are drawn before anybody opens them";
  },
  // Each workload of closed loops has its charts, its laws of scalability and a panel of
  // contention, with n/a for values that were not measured.
  *articles(expected) {
    const articles = all("article:not([data-loop])");
    for (const [name, selector] of [["throughput", "g"], ["scalability", "path.line"]]) {
      const found = articles.map(article => all(`figure[data-chart$=-${name}] ${selector}`, article).length)
        .sort((a, b) => a - b).join();
      if (found !== expected[name].join()) yield `lines of ${name}: ${found}, expected ${expected[name]}`;
    }
    for (const article of articles) {
      const charts = all("figure[data-chart]", article).length;
      if (charts < 9) yield `an article has ${charts} charts, expected at least 9`;
      const cells = all("[data-panel=contention] table:first-of-type td", article);
      if (cells.length === 0) yield "an article has no panel of contention";
      if (cells.some(cell => ["", "–"].includes(cell.textContent)))
        yield "a figure of contention is neither measured nor n/a";
      const titles = all("[data-panel=contention] tbody th", article).map(title => title.textContent);
      for (const figure of
        ["Fairness", "Asleep", "Ready to run", "Epoch advances", "Most entries in limbo", "Cycles"])
        if (!titles.some(title => title.startsWith(figure))) yield `a panel of contention lacks ${figure}`;
    }
  },
  // Each setting of an open loop has charts of service times and of intended times, with all
  // lines. No intended time is below the service time: an operation is due before it starts.
  *open_loops(expected) {
    const found = all("article[data-loop=open]").map(article => all("figure[data-chart]", article).map(
      figure => `${figure.dataset.chart.split("-")[1]} ${all("g", figure).length}`).sort().join());
    if (found.sort().join("; ") !== expected.join("; "))
      yield `charts of open loops have the lines ${found.join("; ")}, expected ${expected.join("; ")}`;
    // Both charts have the same axes.
    for (const figure of all("article[data-loop=open] figure[data-chart*=-service-]")) {
      const name = figure.dataset.chart.replace("-service-", "-intended-");
      for (const line of all("g", figure)) {
        const due = points(document.querySelector(
          `figure[data-chart="${name}"] g[class="${line.getAttribute("class")}"] path.line`));
        for (const [x, y] of points(line.querySelector("path.line")))
          if (due.get(x) > y + 0.2) yield `${name}: intended times are below service times at ${x}`;
      }
    }
  },
  // Each line of a chart has a path with data.
  *lines() {
    for (const figure of all("figure[data-chart]")) {
      const name = figure.dataset.chart, lines = all("path.line", figure);
      if (all("text", figure).length < 3) yield `${name}: fewer than 3 labels`;
      if (lines.length === 0 && !figure.querySelector(".empty"))
        yield `${name}: neither a line nor a reason for its absence`;
      for (const path of lines.map(line => line.getAttribute("d")))
        if (!path.startsWith("M") || /nan|inf/i.test(path)) yield `${name}: a line is '${path.slice(0, 60)}'`;
    }
  },
  // Each point of a line has a shape, whose definition is elsewhere in the page.
  *marks() {
    const boxes = all("figure use").map(mark => mark.getBBox());
    const invisible = boxes.filter(box => box.width < 4 || box.height < 4).length;
    if (invisible > 0) yield `${invisible} points have no visible mark`;
  },
  // A page of leaks has a chart of all classes and a chart of each class with known counts.
  *classes() {
    const known = all("#rows tbody tr").filter(row => row.cells[1].textContent !== "–");
    const expected = ["all", ...known.map((_, place) => `class-${place}`)].join();
    const found = all("figure[data-chart]").map(figure => figure.dataset.chart).join();
    if (found !== expected) yield `charts of classes: ${found}, expected ${expected}`;
  },
  // The tree of a heap has complete lines, the largest first, and none retains more than the line
  // above it. All that have lines below them can be opened with the keyboard.
  *tree() {
    const share = line => parseFloat(line.style.getPropertyValue("--share"));
    let origins = 0;
    for (const list of all(".retained ul")) {
      const above = list.previousElementSibling;
      let limit = above?.matches("summary") ? share(above) : 100;
      for (const item of list.children) {
        const line = item.querySelector(".line");
        if (!line) continue;
        if (list.parentElement.matches(".retained")) origins += share(line);
        if (share(line) > limit) yield `a line of ${share(line)} % is below one that retains less`;
        limit = share(line);
        if (line.children.length !== 5 || [...line.children].some(cell => !cell.textContent.trim()))
          yield "a line of the tree has a blank cell";
        if (line.matches("summary") ? line.tabIndex < 0 : item.querySelector("ul"))
          yield "a line of the tree cannot be opened with the keyboard";
      }
    }
    if (Math.abs(origins - 100) > 0.3) yield "the origins do not retain all bytes";
  },
  // A click on a title sorts the table, with missing values last; a second click reverses it.
  *sorting(titles) {
    for (const text of titles) {
      const title = all("#rows thead th").find(title => title.textContent === text);
      for (const sign of [1, -1]) {
        title.click();
        const values = all("#rows tbody tr").map(row => number(row.cells[title.cellIndex].textContent));
        const known = values.filter(value => value !== null);
        if (!known.every((value, place) => place === 0 || sign * (value - known[place - 1]) >= 0))
          yield `the column ${text} is not sorted ${sign > 0 ? "up" : "down"}`;
        if (values.slice(0, known.length).includes(null)) yield `${text}: missing values do not come last`;
      }
    }
  },
  // A click on a name hides its lines, and another click shows them again.
  *hiding() {
    const shown = () => all("figure g").filter(line => getComputedStyle(line).display !== "none").length;
    const name = document.querySelector(".legend button"), before = shown();
    name.click();
    if (shown() >= before) yield "a click on a name hides nothing";
    name.click();
    if (shown() !== before) yield "a second click does not show the hidden lines again";
  },
  // Nothing is wider than the screen, except what scrolls.
  *fit() {
    const {clientWidth, scrollWidth} = document.documentElement;
    if (scrollWidth > clientWidth || clientWidth !== screen.width)
      yield `the page is ${scrollWidth} pixels wide on a screen of ${screen.width}`;
    const wide = all("body *").filter(element =>
      element.getBoundingClientRect().right > clientWidth + 1 && !element.closest(".scroll, .legend"));
    for (const element of wide.slice(0, 3)) yield `wider than the screen: ${element.outerHTML.slice(0, 120)}`;
  },
};
