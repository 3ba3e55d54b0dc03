// One question with its answer: the answer first, then doubt and choices, then how it was found.

import { chart, chartTools } from "./chart.js";
import { button, clean, html, percent, sentence, tool } from "./dom.js";
import { how } from "./how.js";
import { rowTools, table } from "./table.js";
import { columnsOf, spelled } from "./values.js";

const FACTS = 4, NAMED = 3;
/** Characters of options that stand beside one another. */
const SHORT = 40;
/** Characters of a text that is too long to be shown large. */
const LONG = 60;

/** An empty article for a question; `fill` puts something under the question. */
export function article(question) {
  const heading = html("h2", { class: "asked", tabindex: "-1" }, clean(question));
  return html("article", { class: "turn" }, heading, html("div", { class: "card" }));
}

const fill = (node, ...parts) => node.querySelector(".card").replaceChildren(...parts.flat());

/** While the answer is awaited. */
export function showProgress(node, cancel) {
  const seconds = html("span", { class: "seconds" });
  fill(node, html("p", { class: "progress" }, html("span", { class: "spinner", "aria-hidden": "true" }),
    "Looking for the answer… ", seconds, button("Cancel", cancel, { class: "tool" })));
  const begun = Date.now();
  const timer = setInterval(() => {
    if (!seconds.isConnected) return clearInterval(timer);
    seconds.textContent = `${Math.round((Date.now() - begun) / 1000)} s`;
  }, 1000);
}

/** What went wrong, in words, and what can be done. */
export function showFailure(node, message, ...tools) {
  fill(node, html("p", { class: "none" }, sentence(message)), html("p", { class: "tools" }, ...tools));
}

/** A reply, with one of its readings. `acts`: what the buttons do (see app.js). */
export function showReply(node, turn, acts) {
  const { reply, reading } = turn, restates = Boolean(reply.restated);
  const back = reading === reply && reply.clarification;
  node.querySelector(".asked").replaceChildren(...marked(reply, reading));
  fill(
    node,
    back ? askedBack(back, acts) : doubt(reply, reading),
    html("div", { class: "answer" }, ...answer(reading)),
    understood(reading),
    notes(reply, reading),
    html("p", { class: "tools" }, ...tools(turn, acts)),
    back ? [] : others(turn, acts, !restates || reading.status === "doubtful"),
    how(reply, reading, !restates),
  );
}

/** The answer: a number or a text, a chart, a table, or the reason where there is none. */
function answer(reading) {
  if (reading.reason !== null) return refused(reading);
  if (!reading.answer) return [html("p", { class: "none" }, "Not run: only parsed here.")];
  if (!reading.answer.length) return [html("p", { class: "none" }, "Nothing was found.")];
  if (!reading.columns) return lines(reading);
  const columns = columnsOf(reading), rows = reading.answer;
  if (rows.length === 1 && columns.length <= FACTS) return facts(columns, rows[0]);
  const spec = reading.display?.chart;
  const count = `${reading.truncated ? "the first " : ""}${rows.length.toLocaleString("en")} rows`;
  const shown = table(columns, rows, count.charAt(0).toUpperCase() + count.slice(1), Boolean(spec));
  reading.sorted = shown;
  return [...(spec ? [chart(spec, `A chart of the table below: ${columns.map(nameOf).join(", ")}`)] : []),
    shown.element];
}

const one = (text) => html("p", { class: text.length > LONG ? "one long" : "one" }, text);

const nameOf = (column) => clean(column.name);

/** A single row: its first value large, what it is, and the others. */
function facts(columns, row) {
  const [large, ...more] = row.map((value, i) => spelled(value, columns[i]) || "(no value)");
  const person = /^(first|given) name$/.test(columns[0].name) && more.length ? more.shift() : "";
  const rest = columns.slice(columns.length - more.length);
  const label = person ? "name" : nameOf(columns[0]);
  return [one(person ? `${large} ${person}` : large),
    html("p", { class: "of" }, label),
    ...(more.length ? [html("dl", { class: "facts" }, ...rest.map((column, i) =>
      html("div", {}, html("dt", {}, nameOf(column)), html("dd", {}, more[i]))))] : [])];
}

/** The answers of a domain that gives no tables. */
function lines(reading) {
  const texts = reading.answer;
  if (texts.length === 1) return [one(clean(texts[0]))];
  const columns = [{ name: "Answer", type: "" }];
  reading.sorted = table(columns, texts.map((text) => [text]), `${texts.length} answers`);
  return [reading.sorted.element];
}

/** The reason, and questions that can be asked. */
function refused(reading) {
  const asked = (reading.suggestions ?? []).map((question) =>
    html("li", {}, html("a", { href: `#q=${encodeURIComponent(question)}` }, clean(question))));
  const more = asked.length
    ? [html("p", {}, "You can ask:"), html("ul", { class: "chips" }, ...asked)] : [];
  return [html("p", { class: "none" }, sentence(reading.reason)), ...more];
}

const understood = (reading) => (reading.restated && reading.reason === null
  ? [html("p", { class: "understood" }, "Understood as: ", html("strong", {}, clean(reading.restated)))]
  : []);

/** What a screen reader says when the answer is there. */
export function announced({ reply, reading }) {
  if (reading === reply && reply.clarification) return clean(reply.clarification.question);
  if (reading.reason !== null) return `No answer: ${clean(reading.reason)}`;
  const columns = columnsOf(reading);
  const all = (reading.answer ?? []).map((row) =>
    Array.isArray(row) ? row.map((value, i) => spelled(value, columns[i])).join(" ") : row);
  if (!all.length) return reading.answer ? "Nothing was found" : "Parsed, not run";
  const more = all.length > 5 ? `, and ${all.length - 5} more` : "";
  const sure = reading.status === "doubtful" ? "Doubtful answer" : "Answer";
  return `${sure}: ${all.slice(0, 5).map(clean).join(", ")}${more}`;
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

/** The question, words that gave nothing marked; what stands between words is kept. */
function marked(reply, reading) {
  const marks = new Set([...reading.unused, ...strange(reply, reading)]);
  const found = [], text = lower(reply.question);
  let at = 0, kept = 0;
  reply.words.forEach((word, i) => {
    const start = text.indexOf(lower(word), at);
    if (start < 0) return;
    at = start + word.length;
    if (!marks.has(i)) return;
    found.push(clean(reply.question.slice(kept, start)),
      html("mark", {}, clean(reply.question.slice(start, at))));
    kept = at;
  });
  return [...found, clean(reply.question.slice(kept))];
}

const quoted = (reply, numbers) => numbers.map((i) => `“${clean(reply.words[i])}”`).join(", ");

/** Doubt, where it is seen first: that the answer may be wrong, and why. */
function doubt(reply, reading) {
  const never = strange(reply, reading);
  const unused = reading.unused.filter((i) => !never.includes(i));
  const doubtful = reading.status === "doubtful";
  const why = [];
  if (unused.length) why.push(`Not understood, or not needed: ${quoted(reply, unused)}.`);
  if (never.length) why.push(`Never met in training: ${quoted(reply, never)}.`);
  if (!doubtful && !why.length) return [];
  const title = doubtful ? [html("strong", {}, "This may not be what you meant. ")] : [];
  return [html("p", { class: doubtful ? "doubt" : "doubt mild" }, ...title, why.join(" "))];
}

/** What else there is to say beside the answer. */
function notes(reply, reading) {
  const texts = [];
  if (reading.verified) texts.push(`This meaning was ${reading.verified}.`);
  if (reading.goes_on) texts.push("This goes on from the last question.");
  for (const [typed, name] of reading.corrections) texts.push(`“${typed}” is taken for ${name}.`);
  for (const [name, things] of Object.entries(reading.ambiguous)) {
    const more = things.slice(1).join(", ");
    texts.push(`“${clean(name)}” is taken for ${things[0]}; it may also be ${more}.`);
  }
  for (const note of [...(reading.notes ?? []), reading.display?.note].filter(Boolean)) texts.push(sentence(note));
  return texts.map((text) => html("p", { class: "note" }, clean(text)));
}

/** What is asked back, as buttons with the beginning of each answer. */
function askedBack(back, acts) {
  const items = back.options.map((option) => choice(
    [html("span", { class: "restated" }, sentence(option.text).replace(/\.$/, "")),
      html("span", { class: "meant" }, clean(option.preview))], () => acts.choose(option.id)));
  items.push(choice("None of these", () => acts.choose(back.none), { class: "neither" }));
  const short = back.options.every(({ text }) => text.length <= SHORT);
  return html("section", { class: "back" },
    html("h3", {}, clean(back.question)), html("ol", { class: short ? "choices short" : "choices" }, ...items),
    html("p", { class: "hint" }, "Until you choose, this is the likeliest answer:"));
}

const choice = (label, act, attributes = {}) => html("li", {}, button(label, act, attributes));

/** Where it takes words in another way than the best reading. */
const difference = (reading) => (reading.differences ?? [])
  .map(({ words, mine, other }) => `if “${words}” is ${named(other)}, not ${named(mine)}`)
  .join("; ");

const named = (names) => (names.length ? names.join(" and ") : "nothing");

const preview = ({ answer: rows, truncated, restated }) => (restated && rows
  ? rows.map((row) => [row].flat().map((value) => spelled(value)).join(", ")).join("; ")
    + (truncated ? "; …" : "") : "");

/** The other readings, to choose from; with their probabilities where no words say what they are. */
function others(turn, acts, open) {
  const { reply, reading } = turn, named = reply.alternatives.some((each) => each.restated);
  const is = (each) =>
    each === reading || (each.meaning !== null && each.meaning === reading.meaning);
  // What is shown already is no choice, but the way back.
  const all = named && is(reply) ? reply.alternatives
    : [reply, ...reply.alternatives].filter((each) => each.meaning !== null || !named);
  if (all.length < (named ? 1 : 2)) return [];
  const items = all.map((each) => {
    const label = each.restated
      ? [html("span", { class: "restated" }, clean(each.restated))]
      : [html("code", {}, clean(each.meaning ?? "no answer")),
        html("span", { class: "share" }, percent(each.probability))];
    const meant = each.restated ? preview(each) : clean(difference(each));
    return choice([...label, ...(meant ? [html("span", { class: "meant" }, meant)] : [])],
      () => acts.pick(each), { "aria-pressed": String(is(each)) });
  });
  const title = { answered: "Not what you meant?", doubtful: "Did you mean one of these?",
    refused: "What comes nearest" }[reading.status];
  const made = html("details", { class: "others" }, html("summary", {}, named ? title : "Interpretations"),
    html("ol", { class: "choices" }, ...items));
  made.open = open;
  return [made];
}

function tools(turn, acts) {
  const { reply, reading } = turn, made = [];
  const real = reading.reason === null && reading.answer;
  if (real && acts.confirm && !reading.goes_on && !reading.verified && reading.meaning) {
    made.push(tool("✓ That is right", "", acts.confirm));
  }
  if (acts.name && reading.status !== "answered") {
    for (const word of [...new Set(reading.unused.map((i) => reply.words[i]))].slice(0, NAMED)) {
      made.push(tool(`“${clean(word)}” means …`, "", () => acts.name(word)));
    }
  }
  if (real && reading.sorted) made.push(...rowTools(reading.columns ?? ["answer"], reading.sorted.rows));
  if (real && reading.display?.chart) made.push(...chartTools(reading.display.chart));
  made.push(tool("Copy link", "Copied", acts.link));
  made.push(button("Undo", acts.undo, { class: "tool undo", "aria-label": `Undo: ${clean(reply.question)}` }));
  return made;
}
