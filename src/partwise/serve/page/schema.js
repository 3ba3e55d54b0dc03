// What can be asked about: tables, columns and figures, what they are called, and some values.

import { button, byId, call, clean, folded, html } from "./dom.js";

const SHOWN = 6, OPEN = 3, FEW = 10;
const TYPES = { boolean: "yes or no", id: "key" };

const TITLE = "What can I ask about?", HINT = "Click a name to put it into your question.";

/** Show it in its dialog; `use` is given a name that was clicked, and its place as it is stored. */
export async function showSchema(use, title = TITLE, hint = HINT) {
  const dialog = byId("schema");
  const shut = button("Close", () => dialog.close(), { class: "tool" });
  const head = html("div", { class: "titlebar" },
    html("h2", { id: "schema-title" }, title), shut);
  const body = html("div", { class: "body" }, html("p", {}, "Reading…"));
  dialog.replaceChildren(head, body);
  dialog.showModal();
  try {
    const schema = await call("schema");
    body.replaceChildren(...described(schema, hint, (...name) => {
      dialog.close();
      use(...name);
    }));
  } catch (error) {
    body.replaceChildren(html("p", { class: "none" }, clean(error.message)));
  }
}

function described(schema, hint, use) {
  const number = schema.tables.length;
  const parts = schema.tables.map((table, i) => ({
    node: tableNode(table, schema.measures, use, number <= OPEN || (number <= FEW && !i)),
    text: JSON.stringify(table).toLowerCase(),
  }));
  const none = html("p", { hidden: true }, "Nothing is called like this.");
  const filter = html("input", { type: "search", id: "filter", autocomplete: "off" });
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const { node, text } of parts) node.hidden = !text.includes(wanted);
    none.hidden = parts.some(({ node }) => !node.hidden);
  });
  const left = schema.left_out
    ? [html("p", { class: "hint" }, `${schema.left_out} private ${
      schema.left_out > 1 ? "tables are" : "table is"} left out.`)] : [];
  return [html("p", { class: "hint" }, hint),
    html("label", { for: "filter" }, "Find a name"), filter, none,
    ...parts.map(({ node }) => node), ...left];
}

function tableNode(table, measures, use, open) {
  const own = measures.filter((measure) => measure.table === table.name);
  const name = (text, place) => button(clean(text), () => use(text, place), { class: "name" });
  const links = Object.values(table.links);
  const columns = table.columns.map((one) => ({ ...one, place: `${table.name}.${one.name}` }));
  const rows = [...own.map((measure) => ({ ...measure, place: measure.name, kind: "figure", values: [], samples: [] })),
    ...columns].map((column) => html("tr", {},
    html("th", { scope: "row" }, name(column.label, column.place), ...also(column.synonyms)),
    html("td", {}, kindOf(column)),
    html("td", {}, ...about(column))));
  const heads = ["Name", "Type", "For example"].map((text) => html("th", { scope: "col" }, text));
  const left = table.left_out ? [html("p", { class: "hint" },
    `${table.left_out} private ${table.left_out > 1 ? "columns are" : "column is"} left out.`)] : [];
  return folded(
    html("span", {}, clean(table.label), html("span", { class: "kind" }, `${table.columns.length} columns`)),
    open,
    html("p", {}, name(table.label, table.name), ...also(table.synonyms)),
    ...(table.description ? [html("p", {}, clean(table.description))] : []),
    html("div", { class: "list", tabindex: "0", role: "group", "aria-label": `Columns of ${clean(table.label)}` },
      html("table", {}, html("caption", { class: "unseen" }, `Columns of ${clean(table.label)}`),
        html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows))),
    ...(links.length ? [html("p", { class: "hint" }, `Belongs to: ${clean(links.join(", "))}.`)] : []),
    ...left,
  );
}

const also = (names) => (names.length
  ? [html("span", { class: "also" }, ` also ${clean(listed(names))}`)] : []);

const listed = (names) =>
  names.slice(0, SHOWN).join(", ") + (names.length > SHOWN ? ", …" : "");

function kindOf({ kind, unit }) {
  const text = TYPES[kind] ?? kind;
  return unit ? `${text}, ${clean(unit)}` : text;
}

function about({ values, samples, description }) {
  const some = listed(values.length ? values : samples);
  return [...(description ? [html("p", {}, clean(description))] : []), clean(some)];
}
