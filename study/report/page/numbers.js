// Numbers as one reads them. Everything the page's scripts share is a member of `Report`.
"use strict";
const Report = {};

/** "1,234", "12.35", "0.0123": `digits` after the point, or as many as the size asks for; null: "-". */
Report.number = function (value, digits) {
  if (value === null || value === undefined) return "-";
  const size = Math.abs(value);
  let text;
  if (digits !== null && digits !== undefined) text = value.toFixed(digits);
  else if (Number.isInteger(value)) text = String(value);
  else if (size >= 1000) text = value.toFixed(0);
  else if (size >= 1) text = String(Number(value.toPrecision(4)));
  else if (size >= 0.0001) text = String(Number(value.toPrecision(3)));
  else text = value.toExponential(2);
  const [whole, rest] = text.split(".");
  if (whole.includes("e")) return text;
  return whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",") + (rest === undefined ? "" : "." + rest);
};

/** Tick of an axis: short. */
Report.tick = function (value) {
  const size = Math.abs(value);
  for (const [unit, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"]])
    if (size >= unit) return Report.number(Number((value / unit).toPrecision(4))) + " " + letter;
  return Report.number(Number(value.toPrecision(6)));
};

/** "time (us)" */
Report.axisTitle = (axis) => (axis.unit ? axis.title + " (" + axis.unit + ")" : axis.title);

/** An element with attributes and children; texts become text, never markup. */
Report.element = function (name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined) node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== null));
  return node;
};
