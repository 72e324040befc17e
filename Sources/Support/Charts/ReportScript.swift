/// What a page can do besides showing everything: sort the table, and hide lines.
package enum ReportScript {
  package static let text = """
    "use strict";
    (() => {
      const table = document.getElementById("rows"), body = table.tBodies[0];
      const titles = [...table.tHead.rows[0].cells];
      const value = (row, column) => {
        const cell = row.cells[column];
        if (!cell.classList.contains("number")) return cell.textContent;
        return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
      };
      // What was not measured comes last, whichever way.
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
          for (const line of document.querySelectorAll(`figure g.${key.dataset.class}`)) {
            line.style.display = isShown ? "" : "none";
          }
        });
        key.replaceWith(button);
      }
    })();
    """
}
