// Builds the page from its data: {title, subtitle, verdict, verdict_text, facts, figures, sections: [{id, title, text,
// charts, tables, listing}]} (study/report/page_model.h).
"use strict";

/** Text in which what stands between ` is code. */
Report.withCode = (text) => text.split("`").map((part, i) => (i % 2 ? Report.element("code", {}, part) : part));

Report.pairs = (className, pairs) => Report.element("dl", {class: className}, ...pairs.map(([name, value]) =>
    Report.element("div", {}, Report.element("dt", {}, name), Report.element("dd", {}, value))));

Report.head = function (page) {
  const element = Report.element;
  const facts = element("dl", {class: "facts"});
  for (const [name, value] of page.facts) facts.append(element("dt", {}, name), element("dd", {}, value));
  document.getElementById("head").append(
      element("p", {class: "soft"}, page.subtitle), element("h1", {}, page.title),
      page.verdict_text ? element("p", {class: "verdict " + page.verdict}, page.verdict_text) : "",
      page.figures.length ? Report.pairs("figures", page.figures) : "", facts);
  document.getElementById("contents").append(element("ul", {}, ...page.sections.map((section) =>
      element("li", {}, element("a", {href: "#" + section.id}, section.title)))));
};

Report.section = function (section, draws) {
  const element = Report.element;
  const node = element("section", {id: section.id, "aria-labelledby": section.id + "-title"},
                       element("h2", {id: section.id + "-title"}, section.title));
  for (const text of section.text) node.append(element("p", {class: "soft"}, ...Report.withCode(text)));
  if (section.charts.length) {
    const small = section.charts.length > 1 && section.charts.every((chart) => chart.kind !== "spans");
    const charts = element("div", {class: small ? "charts pairs" : "charts"});
    for (const chart of section.charts) {
      const {figure, draw} = Report.figure(chart);
      charts.append(figure);
      draws.push(draw);
    }
    node.append(charts);
  }
  for (const table of section.tables) node.append(Report.table(table));
  if (section.listing)
    node.append(element("details", {}, element("summary", {}, section.listing.title),
                        element("pre", {tabindex: "0"}, section.listing.text)));
  return node;
};

Report.start = function () {
  const page = JSON.parse(document.getElementById("data").textContent);
  Report.head(page);
  const times = page.sections.flatMap((section) => section.charts).filter((chart) => chart.time).flatMap((chart) =>
      (chart.spans || []).flatMap((span) => [span[1], span[2]]).concat(chart.series.flatMap((series) => series.x || [])));
  if (times.length) {
    const extreme = (pick) => times.reduce((a, b) => pick(a, b));
    Report.timeWindow.bound(Math.min(0, extreme(Math.min)), extreme(Math.max));
  }
  const draws = [];
  document.getElementById("content").replaceChildren(...page.sections.map((section) => Report.section(section, draws)));
  const drawAll = () => {
    Report.timeWindow.charts = [];
    const theme = Report.palette();
    for (const draw of draws) draw(theme);
    document.documentElement.dataset.charts = String(draws.length);
  };
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
};

Report.start();
