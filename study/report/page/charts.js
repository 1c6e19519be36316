// Charts: {id, kind, title, summary, x, y: {title, unit, log}, time, categories, series: [{name, y, low, high, x, labels,
// line, dashed, colour}], spans: [[row, from, to, series, label]]}. Each is a figure with its summary in words and its data as a
// table.
"use strict";

Report.palette = function () {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  const colours = [];
  for (let i = 0; i < 10; ++i) colours.push(value("--c" + i));
  return {colours, ink: value("--ink"), soft: value("--soft"), grid: value("--grid"), card: value("--card")};
};

/** Whiskers of values that are known to lie in an interval. */
Report.errorBars = {
  id: "errorBars",
  afterDatasetsDraw(chart) {
    const context = chart.ctx;
    const sideways = chart.options.indexAxis === "y";
    chart.data.datasets.forEach((set, index) => {
      if (!set.low || !chart.isDatasetVisible(index)) return;
      const scale = sideways ? chart.scales.x : chart.scales.y;
      context.save();
      context.strokeStyle = chart.options.color;
      context.lineWidth = 1.5;
      chart.getDatasetMeta(index).data.forEach((mark, i) => {
        if (set.low[i] === null || set.high[i] === null) return;
        const from = scale.getPixelForValue(set.low[i]), to = scale.getPixelForValue(set.high[i]);
        const at = sideways ? mark.y : mark.x, cap = 4;
        context.beginPath();
        for (const [a, b, c, d] of [[at, from, at, to], [at - cap, from, at + cap, from], [at - cap, to, at + cap, to]])
          if (sideways) { context.moveTo(b, a); context.lineTo(d, c); } else { context.moveTo(a, b); context.lineTo(c, d); }
        context.stroke();
      });
      context.restore();
    });
  },
};

/** Names of points, and of bars that are long enough for them, where they do not cover each other. */
Report.markNames = {
  id: "markNames",
  afterDatasetsDraw(chart) {
    const context = chart.ctx, area = chart.chartArea, taken = [];
    context.save();
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.beginPath();
    context.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
    context.clip();
    chart.data.datasets.forEach((set, index) => {
      if (!set.names || !chart.isDatasetVisible(index)) return;
      chart.getDatasetMeta(index).data.forEach((mark, i) => {
        const text = set.names[i];
        const width = context.measureText(text).width;
        if (set.inside) {
          const left = Math.max(mark.base, area.left), right = Math.min(mark.x, area.right);
          if (right - left < width + 8 || mark.height < 12) return;
          context.fillStyle = set.nameColour;
          context.textAlign = "center";
          context.fillText(text, (left + right) / 2, mark.y);
          return;
        }
        const right = mark.x + 9 + width > area.right;
        const box = {left: right ? mark.x - 9 - width : mark.x + 9, top: mark.y - 8};
        if (taken.some((t) => Math.abs(t.top - box.top) < 15 && t.left < box.left + width && box.left < t.left + t.width))
          return;
        taken.push({...box, width});
        context.fillStyle = chart.options.color;
        context.textAlign = "left";
        context.fillText(text, box.left, mark.y);
      });
    });
    context.restore();
  },
};

/** All charts over simulated time show the same part of it. */
Report.timeWindow = {
  charts: [], from: 0, to: 1, least: 0, most: 1,
  add(chart, output) {
    this.charts.push({chart, output});
    this.show();
  },
  bound(least, most) {
    this.least = this.from = least;
    this.most = this.to = most;
  },
  set(from, to) {
    const whole = this.most - this.least;
    const length = Math.min(Math.max(to - from, whole / 1e5), whole);
    this.from = Math.min(Math.max(from, this.least), this.most - length);
    this.to = this.from + length;
    this.show();
  },
  zoom(factor) {
    const middle = (this.from + this.to) / 2, half = (this.to - this.from) / 2 * factor;
    this.set(middle - half, middle + half);
  },
  move(share) {
    const by = (this.to - this.from) * share;
    this.set(this.from + by, this.to + by);
  },
  show() {
    for (const {chart, output} of this.charts) {
      chart.options.scales.x.min = this.from;
      chart.options.scales.x.max = this.to;
      chart.update("none");
      output.textContent = Report.number(this.from) + " to " + Report.number(this.to) + " us";
    }
  },
};

Report.axisOptions = function (axis, theme, extra) {
  return Object.assign({
    type: axis.log ? "logarithmic" : "linear",
    title: {display: true, text: Report.axisTitle(axis), color: theme.soft},
    grid: {color: theme.grid, borderColor: theme.grid},
    border: {color: theme.grid},
    ticks: {color: theme.soft, maxRotation: 0, autoSkipPadding: 12, callback: (value) => Report.tick(value)},
  }, extra);
};

Report.logTicks = (value) => (Math.abs(Math.log10(value) % 1) < 1e-9 ? Report.tick(value) : null);

/** A bar for each category is easier to read across where names are long. */
Report.isSideways = function (chart) {
  if (chart.kind === "spans") return true;
  if (chart.kind !== "bars" && chart.kind !== "stack") return false;
  const longest = Math.max(0, ...chart.categories.map((c) => c.length));
  return chart.categories.length <= 40 && (longest > 8 || chart.categories.length <= 4) && !(longest <= 4);
};

Report.plotHeight = function (chart) {
  const legend = 34 * Math.ceil(Math.min(chart.series.length, 10) / 4);
  if (!Report.isSideways(chart)) return 300 + legend;
  const bars = chart.kind === "bars" ? Math.max(1, chart.series.length * 0.7) : 1;
  return Math.max(150, chart.categories.length * Math.max(26, 20 * bars) + 70) + legend;
};

Report.dataset = function (chart, series, index, theme) {
  const colour = theme.colours[(series.colour === undefined ? index : series.colour) % theme.colours.length];
  const set = {label: series.name, backgroundColor: colour, borderColor: colour, low: series.low, high: series.high};
  if (chart.kind === "spans") {
    const own = chart.spans.filter((span) => span[3] === index);
    const last = index === chart.series.length - 1;
    return Object.assign(set, {
      type: "bar", grouped: false, minBarLength: 2, barPercentage: [0.3, 0.55, 0.9][index] || 0.9, categoryPercentage: 0.9,
      backgroundColor: last ? colour : colour + "88", names: last ? own.map((span) => span[4]) : undefined, inside: true,
      nameColour: theme.card, labels: own.map((span) => span[4]), order: chart.series.length - index,
      data: own.map((span) => ({x: [span[1], span[2]], y: chart.categories[span[0]]})),
    });
  }
  if (chart.kind === "bars" || chart.kind === "stack")
    return Object.assign(set, {type: "bar", data: series.y, maxBarThickness: 38, borderRadius: chart.kind === "bars" ? 3 : 0});
  const points = series.y.map((y, i) => ({x: series.x ? series.x[i] : i, y}));
  Object.assign(set, {type: "line", data: points, borderWidth: 2, pointRadius: 0, pointHitRadius: 8, spanGaps: false});
  if (chart.time) set.stepped = "after";  // a value holds for the interval that ends at its place
  if (chart.kind === "area") return Object.assign(set, {fill: index === 0 ? "origin" : "-1", backgroundColor: colour + "cc", borderWidth: 1});
  if (chart.kind === "scatter" || series.y.length < (chart.time ? 2 : 60)) set.pointRadius = series.line && chart.kind === "scatter" ? 0 : 4;
  if (!series.line) Object.assign(set, {showLine: false, pointRadius: 6, pointHoverRadius: 8});
  if (series.dashed) set.borderDash = [6, 4];
  if (series.labels) Object.assign(set, {labels: series.labels, names: series.labels});
  return set;
};

Report.chartOptions = function (chart, theme) {
  const sideways = Report.isSideways(chart);
  const stacked = chart.kind === "stack" || chart.kind === "area";
  const categories = {type: "category", labels: chart.categories, stacked,
                      ticks: {color: theme.soft, autoSkip: !sideways, maxRotation: 0, autoSkipPadding: 8}};
  const numbers = (axis, extra) =>
      Report.axisOptions(axis, theme, Object.assign({stacked}, axis.log ? {ticks: {color: theme.soft, callback: Report.logTicks, maxRotation: 0}} : {}, extra));
  const share = stacked && chart.y.unit === "%" ? {max: 100} : {};
  // Whiskers end inside the chart.
  const highest = Math.max(...chart.series.flatMap((s) => s.high || []));
  if (Number.isFinite(highest)) share.suggestedMax = highest;
  let x, y;
  if (chart.kind === "spans") {
    x = numbers(chart.x, {stacked: false});
    y = Report.axisOptions(chart.y, theme, Object.assign(categories, {stacked: false}));
  } else if (chart.kind === "bars" || chart.kind === "stack") {
    const along = Report.axisOptions(chart.x, theme, categories);
    const up = numbers(chart.y, Object.assign({beginAtZero: !chart.y.log}, share));
    [x, y] = sideways ? [up, along] : [along, up];
  } else {
    x = numbers(chart.x, {stacked: false});
    y = numbers(chart.y, Object.assign({beginAtZero: chart.kind !== "scatter" && !chart.y.log}, share));
    if (chart.kind === "scatter") {
      const heights = chart.series.flatMap((s) => s.y).filter((value) => value > 0);
      Object.assign(y, {stacked: false, suggestedMin: Math.min(...heights) / 2, suggestedMax: 2 * Math.max(...heights)});
    }
  }
  const value = (item) => {
    const set = item.dataset, raw = item.raw;
    if (chart.kind === "spans")
      return set.labels[item.dataIndex] + ": " + set.label + ", " + Report.number(raw.x[0]) + " to " + Report.number(raw.x[1]) + " us";
    const number = raw !== null && typeof raw === "object" ? raw.y : raw;
    const bounds = set.low && set.low[item.dataIndex] !== null
        ? " (" + Report.number(set.low[item.dataIndex]) + " to " + Report.number(set.high[item.dataIndex]) + ")" : "";
    const name = set.labels && set.labels[item.dataIndex] ? set.labels[item.dataIndex] : set.label;
    return name + ": " + Report.number(number) + bounds + (chart.y.unit ? " " + chart.y.unit : "");
  };
  return {
    responsive: true, maintainAspectRatio: false, animation: false, normalized: true, color: theme.ink,
    indexAxis: sideways ? "y" : "x",
    interaction: chart.kind === "lines" || chart.kind === "area" ? {mode: "index", intersect: false} : {mode: "nearest", intersect: true},
    scales: {x, y},
    plugins: {
      legend: {display: chart.series.length > 1, position: "bottom", labels: {color: theme.ink, boxWidth: 12, boxHeight: 12, usePointStyle: false}},
      tooltip: {callbacks: {
        label: value,
        title: (items) => (items.length && (chart.kind === "lines" || chart.kind === "area")
            ? Report.number(items[0].parsed.x) + " " + (chart.x.unit || chart.x.title) : items.length && items[0].label && chart.categories.length ? String(items[0].label) : ""),
      }},
    },
  };
};

/** The chart's data as a table of the page. */
Report.chartTable = function (chart) {
  const caption = "Data of the chart: " + chart.title;
  const text = (title) => ({title, unit: "", numeric: false});
  const number = (title, unit) => ({title, unit, numeric: true, digits: null});
  if (chart.kind === "spans")
    return {caption, columns: [text("kernel"), text(chart.y.title), text("what"), number("from", chart.x.unit), number("to", chart.x.unit)],
            rows: chart.spans.map((s) => [s[4], chart.categories[s[0]], chart.series[s[3]].name, s[1], s[2]])};
  if (chart.kind === "scatter")
    return {caption, columns: [text("series"), text("point"), number(chart.x.title, chart.x.unit), number(chart.y.title, chart.y.unit)],
            rows: chart.series.flatMap((s) => s.y.map((y, i) => [s.name, s.labels ? s.labels[i] : null, s.x[i], y]))};
  const columns = [chart.categories.length ? text(chart.x.title) : number(chart.x.title, chart.x.unit)];
  for (const s of chart.series) {
    columns.push(number(s.name, chart.y.unit));
    if (s.low) columns.push(number(s.name + ", low", chart.y.unit), number(s.name + ", high", chart.y.unit));
  }
  const length = chart.categories.length || Math.max(0, ...chart.series.map((s) => s.y.length));
  const rows = [];
  for (let i = 0; i < length; ++i) {
    const row = [chart.categories.length ? chart.categories[i] : chart.series[0].x ? chart.series[0].x[i] : i];
    for (const s of chart.series) {
      row.push(s.y[i]);
      if (s.low) row.push(s.low[i], s.high[i]);
    }
    rows.push(row);
  }
  return {caption, columns, rows};
};

/** Dragging over a chart chooses the part of time to look at. */
Report.chooseByDragging = function (plot, canvas, drawn) {
  const mark = Report.element("div", {class: "choice", hidden: ""});
  plot.append(mark);
  let from = null;
  const place = (event) => {
    const area = drawn().chartArea;
    return Math.min(Math.max(event.clientX - canvas.getBoundingClientRect().left, area.left), area.right);
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") return;  // there it scrolls the page; the buttons zoom
    from = place(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const at = place(event);
    mark.hidden = false;
    mark.style.left = Math.min(from, at) + "px";
    mark.style.width = Math.abs(at - from) + "px";
  });
  canvas.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const at = place(event), scale = drawn().scales.x;
    if (Math.abs(at - from) > 5)
      Report.timeWindow.set(scale.getValueForPixel(Math.min(from, at)), scale.getValueForPixel(Math.max(from, at)));
    from = null;
    mark.hidden = true;
  });
  canvas.addEventListener("dblclick", () => Report.timeWindow.set(Report.timeWindow.least, Report.timeWindow.most));
};

Report.timeTools = function () {
  const w = Report.timeWindow;
  const output = Report.element("output", {"aria-live": "off"}, "");
  const tools = Report.element("div", {class: "tools", role: "group", "aria-label": "Part of time shown"});
  for (const [sign, name, act] of [
    ["+", "Zoom in", () => w.zoom(0.5)], ["\u2212", "Zoom out", () => w.zoom(2)], ["\u25c0", "Earlier", () => w.move(-0.5)],
    ["\u25b6", "Later", () => w.move(0.5)], ["All", "Whole run", () => w.set(w.least, w.most)]]) {
    const button = Report.element("button", {type: "button", "aria-label": name, title: name}, sign);
    button.addEventListener("click", act);
    tools.append(button);
  }
  tools.append(output);
  return {tools, output};
};

/** The figure of a chart, and a function that draws it once the figure is in the page. */
Report.figure = function (chart) {
  const element = Report.element;
  const canvas = element("canvas", {role: "img", id: "chart-" + chart.id, "aria-label": chart.title + ". " + chart.summary});
  const plot = element("div", {class: "plot"}, canvas);
  plot.style.height = Report.plotHeight(chart) + "px";
  const data = element("details", {}, element("summary", {}, "Data as a table"));
  data.addEventListener("toggle", () => {
    if (data.open && data.children.length === 1) data.append(Report.table(Report.chartTable(chart)));
  });
  const figure = element("figure", {}, element("figcaption", {}, element("h3", {}, chart.title),
                                               element("div", {class: "summary"}, chart.summary)));
  let drawn = null, output = null;
  if (chart.time) {
    const made = Report.timeTools();
    output = made.output;
    figure.append(made.tools);
    Report.chooseByDragging(plot, canvas, () => drawn);
  }
  figure.append(plot, data);
  const draw = (theme) => {
    if (drawn) drawn.destroy();
    drawn = new Chart(canvas, {
      type: chart.kind === "bars" || chart.kind === "stack" || chart.kind === "spans" ? "bar" : "line",
      data: {labels: chart.categories.length ? chart.categories : undefined,
             datasets: chart.series.map((series, i) => Report.dataset(chart, series, i, theme))},
      options: Report.chartOptions(chart, theme),
      plugins: [Report.errorBars, Report.markNames],
    });
    if (chart.time) Report.timeWindow.add(drawn, output);
  };
  return {figure, draw};
};
