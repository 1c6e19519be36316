// Tables that sort: {caption, columns: [{title, unit, numeric, digits, code}], rows, foot}. A cell is a number, a text,
// null, {text, value} or {text, link}.
"use strict";

Report.cellText = function (cell, column) {
  if (cell === null || cell === undefined) return "-";
  if (typeof cell === "number") return Report.number(cell, column.digits);
  return typeof cell === "object" ? cell.text : cell;
};

/** What a cell is sorted by: numbers before texts, nothing last. */
Report.sortKey = function (cell) {
  if (cell === null || cell === undefined) return null;
  if (typeof cell === "number") return cell;
  if (typeof cell === "object") return cell.value !== undefined ? cell.value : cell.text;
  return cell;
};

Report.compareKeys = function (a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return a.localeCompare(b, "en", {numeric: true});
};

Report.rowsAtFirst = 300;
Report.unsorted = " \u2195";

Report.table = function (table) {
  const element = Report.element;
  const body = element("tbody");
  const kind = (column) => [column.numeric ? "number" : "", column.code ? "code" : ""].join(" ").trim() || null;
  const row = (cells) => element("tr", {}, ...table.columns.map((column, i) => {
    const cell = cells[i];
    const text = Report.cellText(cell, column);
    const content = cell !== null && typeof cell === "object" && cell.link ? element("a", {href: cell.link}, text) : text;
    return i === 0 ? element("th", {scope: "row", class: kind(column)}, content)
                   : element("td", {class: kind(column)}, content);
  }));
  const rows = table.rows.map((cells, index) => ({cells, index, node: null}));
  // Rows are made when they are shown: a page with tens of thousands of them at once would be slow to open.
  let shown = Math.min(rows.length, Report.rowsAtFirst);
  const show = () => body.replaceChildren(...rows.slice(0, shown).map((r) => (r.node = r.node || row(r.cells))));
  show();

  const heads = table.columns.map((column, i) => {
    const arrow = element("span", {class: "arrow", "aria-hidden": "true"}, Report.unsorted);
    const button = element("button", {type: "button"}, column.title, arrow,
                           column.unit ? element("span", {class: "unit"}, column.unit) : null);
    const head = element("th", {scope: "col", class: kind(column), "aria-sort": "none"}, button);
    button.addEventListener("click", () => {
      // Numbers are mostly looked at from the top.
      const order = head.getAttribute("aria-sort");
      const first = column.numeric ? "descending" : "ascending";
      const next = order === "none" ? first : order === "ascending" ? "descending" : "ascending";
      for (const other of heads) {
        other.setAttribute("aria-sort", "none");
        other.querySelector(".arrow").textContent = Report.unsorted;
      }
      head.setAttribute("aria-sort", next);
      arrow.textContent = next === "ascending" ? " \u25b2" : " \u25bc";
      const sign = next === "ascending" ? 1 : -1;
      rows.sort((a, b) => {
        const x = Report.sortKey(a.cells[i]), y = Report.sortKey(b.cells[i]);
        if (x === null || y === null) return (x === null) - (y === null) || a.index - b.index;
        return sign * Report.compareKeys(x, y) || a.index - b.index;
      });
      show();
    });
    return head;
  });
  const node = element("table", {}, element("caption", {}, table.caption),
                       element("thead", {}, element("tr", {}, ...heads)), body);
  if (table.foot && table.foot.length) node.append(element("tfoot", {}, ...table.foot.map(row)));
  const scroll = element("div", {class: "scroll", role: "region", "aria-label": table.caption, tabindex: "0"}, node);
  if (shown === rows.length) return scroll;
  const all = element("button", {type: "button"}, "Show all " + Report.number(rows.length) + " rows of " + table.caption);
  all.addEventListener("click", () => {
    shown = rows.length;
    show();
    all.remove();
    scroll.focus();
  });
  return element("div", {}, scroll, all);
};
