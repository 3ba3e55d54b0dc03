// A table that can be sorted, copied, and downloaded as CSV.

import { clean, html } from "./dom.js";

const numeric = (value) => typeof value === "number";

/** A value as people read it. */
export function spelled(value) {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (numeric(value)) return String(Number.isInteger(value) ? value : Number(value.toFixed(6)));
  return clean(value);
}

/** Numbers before texts; what is missing comes last, in whatever direction. */
function compared(one, other) {
  if (numeric(one) !== numeric(other)) return numeric(one) ? -1 : 1;
  return numeric(one) ? one - other
    : spelled(one).localeCompare(spelled(other), undefined, { numeric: true });
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

/** The table as a CSV file has it, in the order that is shown. */
export const csv = (columns, rows) =>
  [columns, ...rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";

/** The table as the clipboard has it: tabs between cells. */
const copied = (columns, rows) =>
  [columns, ...rows]
    .map((row) => row.map((value) =>
      String(harmless(value) ?? "").replace(/[\t\r\n]+/g, " ")).join("\t"))
    .join("\n");

/** Put a text on the clipboard, also where a page without TLS may not do so itself. */
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = html("textarea", { class: "unseen" });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

function download(name, text) {
  // The mark at the start tells spreadsheets that it is UTF-8.
  const url = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" }));
  html("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** A button that says for a moment that it has done what it does. */
export function tool(text, done, act) {
  const button = html("button", { type: "button", class: "tool" }, text);
  button.addEventListener("click", async () => {
    await act();
    button.textContent = done;
    setTimeout(() => { button.textContent = text; }, 1500);
  });
  return button;
}

const body = (rows) => rows.map((row) => html("tr", {}, ...row.map((value) =>
  html("td", numeric(value) ? { class: "figure" } : {}, spelled(value)))));

/** The table of a reading, with its tools. */
export function table(columns, rows, caption) {
  const inside = html("tbody", {}, ...body(rows));
  let shown = rows;
  const heads = columns.map((name, column) => {
    const button = html("button", { type: "button", class: "sort" }, clean(name));
    const head = html("th", { scope: "col", "aria-sort": "none" }, button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      shown = sorted(rows, column, up ? 1 : -1);
      inside.replaceChildren(...body(shown));
    });
    return head;
  });
  const whole = html("table", { class: "sortable" }, html("caption", {}, caption),
    html("thead", {}, html("tr", {}, ...heads)), inside);
  const list = { class: "list", tabindex: "0", role: "region", "aria-label": caption };
  const tools = html("p", { class: "tools" },
    tool("Copy", "Copied", () => copy(copied(columns, shown))),
    tool("Download CSV", "Downloaded", () => download("answer.csv", csv(columns, shown))));
  return [html("div", list, whole), tools];
}
