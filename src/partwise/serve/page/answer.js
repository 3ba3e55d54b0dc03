// The answer, the question with its marks, notes, and the list of readings.

import { clean, html, percent } from "./dom.js";
import { spelled, table as sortable } from "./table.js";

/** The answer: a table for a list, a text for one thing, the reason where there is none. */
export function answer(reading) {
  if (reading.reason !== null) return refused(reading);
  if (!reading.answer) return [html("p", { class: "none" }, "Not run: only parsed here.")];
  if (!reading.answer.length) return [html("p", { class: "one" }, "(nothing)")];
  if (reading.columns) return tabular(reading);
  if (reading.answer.length === 1) return [html("p", { class: "one" }, clean(reading.answer[0]))];
  return [table(reading.answer)];
}

/** The rows of a table; a single value as a text. */
function tabular({ answer: rows, columns, truncated }) {
  if (rows.length === 1 && columns.length === 1) {
    return [html("p", { class: "one" }, spelled(rows[0][0]) || "(no value)")];
  }
  const more = truncated ? "the first " : "";
  return sortable(columns, rows, `${more}${rows.length} ${rows.length === 1 ? "row" : "rows"}`);
}

/** What the question was taken to mean, in words. */
export function understood(reading) {
  return reading.restated ? ["Understood as: ", html("strong", {}, clean(reading.restated))] : [];
}

/** The reason, and links to questions that can be asked; the page asks what stands in its address. */
function refused(reading) {
  const asked = (reading.suggestions ?? []).map((question) =>
    html("li", {}, html("a", { href: `#${encodeURIComponent(question)}` }, clean(question))));
  const more = asked.length ? [html("p", {}, "You can ask:"), html("ul", {}, ...asked)] : [];
  return [html("p", { class: "none" }, sentence(reading.reason)), ...more];
}

function table(lines) {
  const count = `${lines.length} answers`;
  const head = html("tr", {}, cell("#", "col"), cell("Answer", "col"));
  const rows = lines.map((text, i) =>
    html("tr", {}, html("td", {}, String(i + 1)), html("td", {}, clean(text))));
  const whole = html("table", {}, html("caption", {}, count), html("thead", {}, head));
  whole.append(html("tbody", {}, ...rows));
  return html("div", { class: "list", tabindex: "0", role: "region", "aria-label": count }, whole);
}

const cell = (text, scope) => html("th", { scope }, text);

const sentence = (text) => {
  const said = clean(text);
  return `${said[0].toUpperCase()}${said.slice(1)}${/[.!?]$/.test(said) ? "" : "."}`;
};

/** What a screen reader says when the answer is there. */
export function announced(reading) {
  if (reading.reason !== null) return `No answer: ${clean(reading.reason)}`;
  const lines = (reading.answer ?? []).map((one) =>
    Array.isArray(one) ? one.map(spelled).join(" ") : one);
  if (!lines.length) return reading.answer ? "The answer is empty" : "Parsed, not run";
  const more = lines.length > 5 ? `, and ${lines.length - 5} more` : "";
  const sure = reading.status === "doubtful" ? "Doubtful answer" : "Answer";
  return `${sure}: ${lines.slice(0, 5).map(clean).join(", ")}${more}`;
}

const lower = (text) => {
  const found = text.toLowerCase();
  // Of a few letters the small form is longer, and places would be others.
  return found.length === text.length ? found : text;
};

/** The numbers of the words that the parser has never met. */
function strange(reply, reading) {
  const unknown = new Set(reading.unknown.map(lower));
  return reply.words.flatMap((word, i) => (unknown.has(lower(word)) ? [i] : []));
}

/** The question, those words marked; what stands between words is kept. */
export function marked(reply, reading) {
  const marks = new Set([...reading.unused, ...strange(reply, reading)]);
  const found = [], text = lower(reply.question);
  let at = 0, kept = 0;
  reply.words.forEach((word, i) => {
    const start = text.indexOf(lower(word), at);
    if (start < 0) return;
    at = start + word.length;
    if (!marks.has(i)) return;
    const said = html("mark", {}, clean(reply.question.slice(start, at)));
    found.push(clean(reply.question.slice(kept, start)), said);
    kept = at;
  });
  return [...found, clean(reply.question.slice(kept))];
}

/** What there is to say beside the answer. */
export function notes(reply, reading) {
  const said = [], never = strange(reply, reading);
  if (reading.verified) said.push(`This meaning was ${reading.verified}.`);
  if (reading.goes_on) said.push("This goes on from the last question.");
  if (reading.status === "doubtful") said.push("Doubtful: this may well be wrong.");
  const list = (numbers) => numbers.map((i) => `“${clean(reply.words[i])}”`).join(", ");
  const unused = reading.unused.filter((i) => !never.includes(i));
  if (unused.length) said.push(`Not understood, or not needed: ${list(unused)}.`);
  if (never.length) said.push(`Never met in training: ${list(never)}.`);
  for (const [typed, name] of reading.corrections) {
    said.push(`“${typed}” is taken for ${name}.`);
  }
  for (const [name, things] of Object.entries(reading.ambiguous)) {
    const others = things.slice(1).join(", ");
    said.push(`“${clean(name)}” is taken for ${things[0]}; it may also be ${others}.`);
  }
  for (const note of reading.notes ?? []) said.push(sentence(note));
  return said.map((text) => html("p", { class: "note" }, clean(text)));
}

/** "Did you mean": the phrases that an alternative takes in another way. */
function difference(reading) {
  const named = (names) => (names.length ? names.join(" and ") : "nothing");
  return reading.differences
    .map((one) => `if “${one.words}” is ${named(one.other)}, not ${named(one.mine)}`)
    .join("; ");
}

/** What is asked back, as buttons; the id of a choice is told. */
export function askedBack(back, choose) {
  const button = (id, ...label) => {
    const made = html("button", { type: "button" }, ...label);
    made.addEventListener("click", () => choose(id));
    return html("li", {}, made);
  };
  const options = back.options.map((one) => button(
    one.id,
    html("span", { class: "restated" }, clean(one.text)),
    html("span", { class: "meant" }, clean(one.preview)),
  ));
  return [...options, button(back.none, "None of these")];
}

/** The readings as buttons; a choice is told by number. */
export function readings(all, chosen, choose) {
  return all.map((reading, i) => {
    const share = reading.probability === null ? "" : percent(reading.probability);
    const bar = html("span", { class: "bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", `${100 * (reading.probability ?? 0)}%`);
    const meant = html("span", { class: "meant" }, clean(difference(reading)));
    const said = reading.restated
      ? html("span", { class: "restated" }, clean(reading.restated))
      : html("code", {}, clean(reading.meaning ?? "no answer"));
    const label = [said, html("span", { class: "share" }, share), meant, bar];
    const button = html("button", { type: "button", "aria-pressed": String(i === chosen) }, ...label);
    button.addEventListener("click", () => choose(i));
    return html("li", {}, button);
  });
}
