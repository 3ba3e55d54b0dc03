// The table of an answer: folded to some rows, sorted by its headings, copied, and saved as CSV.

import { button, clean, copy, download, html, tool } from "./dom.js";
import { isFigure, spelled } from "./values.js";

const FEW = 10, WITH_CHART = 5;
const numeric = (value) => typeof value === "number";

/** Numbers before texts; what is missing comes last, in whatever direction. */
function compared(one, other) {
  if (numeric(one) !== numeric(other)) return numeric(one) ? -1 : 1;
  return numeric(one) ? one - other
    : String(one).localeCompare(String(other), undefined, { numeric: true });
}

function sorted(rows, column, sign) {
  const there = rows.filter((row) => row[column] !== null);
  const missing = rows.filter((row) => row[column] === null);
  return [...there.sort((a, b) => sign * compared(a[column], b[column])), ...missing];
}

/** A text that no spreadsheet takes for a formula. */
const harmless = (value) =>
  typeof value === "string" && /^\s*[=+\-@\t\r]/.test(value) ? `'${value}` : value;

function field(value) {
  const text = value === null ? "" : String(harmless(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The rows as a CSV file has them. */
const csv = (names, rows) =>
  [names, ...rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";

/** The rows as the clipboard has them: tabs between cells. */
const tabbed = (names, rows) =>
  [names, ...rows]
    .map((row) => row.map((value) =>
      String(harmless(value) ?? "").replace(/[\t\r\n]+/g, " ")).join("\t"))
    .join("\n");

/** What copies and saves rows, in the order that `shown` gives. */
export const rowTools = (names, shown) => [
  tool("Copy", "Copied", () => copy(tabbed(names, shown()))),
  // The mark at the start tells spreadsheets that it is UTF-8.
  tool("Save as CSV", "Saved", () => download("answer.csv", "text/csv", ["\ufeff", csv(names, shown())])),
];

/** A table: its columns as `columnsOf` gives them. `charted`: whether a chart stands above it. Gives
 * the element, and `rows`, which gives all rows in the order that is shown. */
export function table(columns, rows, caption, charted = false) {
  const few = charted ? WITH_CHART : FEW, inside = html("tbody");
  let shown = rows, all = rows.length <= few + 2;
  const fill = () => inside.replaceChildren(...(all ? shown : shown.slice(0, few)).map((row) =>
    html("tr", {}, ...row.map((value, i) =>
      html("td", isFigure(value, columns[i]) ? { class: "figure" } : {}, spelled(value, columns[i]))))));
  const heads = columns.map((column, i) => {
    const right = rows.some((row) => isFigure(row[i], column));
    const head = html("th", { scope: "col", "aria-sort": "none", class: right && "figure" },
      button(clean(column.name), () => sort(i), { class: "sort" }));
    return head;
  });
  const sort = (i) => {
    const up = heads[i].getAttribute("aria-sort") !== "ascending";
    for (const other of heads) other.setAttribute("aria-sort", "none");
    heads[i].setAttribute("aria-sort", up ? "ascending" : "descending");
    shown = sorted(rows, i, up ? 1 : -1);
    fill();
  };
  fill();
  const whole = html("table", {}, html("caption", {}, caption),
    html("thead", {}, html("tr", {}, ...heads)), inside);
  const region = html("div", { class: "list", tabindex: "0", role: "group", "aria-label": caption }, whole);
  const more = button(`Show all ${rows.length.toLocaleString("en")} rows`, () => {
    const byKey = more.matches(":focus-visible");
    all = true;
    fill();
    more.remove();
    if (byKey) region.focus();
  }, { class: "more" });
  const element = html("div", { class: "table" }, region, ...(all ? [] : [more]));
  return { element, rows: () => shown };
}
