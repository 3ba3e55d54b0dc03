// How an answer was found, folded away: the words and what each gave, SQL, and the program.

import { clean, cleanLines, copy, describe, folded, html, percent, tool } from "./dom.js";
import { drawGraph } from "./graph.js";
import { drawTree } from "./tree.js";

const TREE = "Point at a part, or step through the parts with Tab and the arrow keys, to see its words.";
const GRAPH = "Point at an edge, or step through the edges with Tab and the arrow keys, to see its words.";

/** All that is known of how a reading came about. `open`: whether it is shown at once. */
export function how(reply, reading, open) {
  const parts = [words(reply, reading), statement("SQL", "sql", reading.sql),
    statement("Program", "program", reading.meaning)].filter(Boolean);
  if (!parts.length) return [];
  if (reading.probability !== null && reading.restated) {
    parts.push(html("p", { class: "hint" },
      `Probability that this is what was meant: ${percent(reading.probability)}`));
  }
  return [folded("How this was found", open, ...parts)];
}

function statement(title, name, text) {
  if (!text) return null;
  return html("section", {}, html("h3", {}, title), html("pre", { class: name }, cleanLines(text)),
    html("p", { class: "tools" }, tool(`Copy ${title}`, "Copied", () => copy(text))));
}

/** A tree, a graph, the words one by one, or whatever else a plug-in draws, as text. */
function words(reply, reading) {
  const there = reading.derivation;
  if (!there) return null;
  const into = html("div", { class: "drawing scroll" }), list = html("dl", { class: "part" });
  const isGraph = Boolean(there.items), isTree = Boolean(there.children);
  // A tree needs to know the widths of its words, and not where it stands.
  if (there.parts) drawPhrases(into, list, there, reply.words);
  else if (isGraph) drawGraph(into, list, there, reply.words);
  else if (isTree) drawTree(into, list, there, reply.words);
  else into.append(html("pre", {}, clean(there.text ?? JSON.stringify(there, null, 1))));
  const hint = isGraph || isTree ? [html("p", { class: "hint" }, isGraph ? GRAPH : TREE)] : [];
  return html("section", {}, html("h3", {}, "What each word gave"), ...hint, into, list);
}

/** The question, phrase by phrase; what no word gave goes into a definition list. */
function drawPhrases(into, list, derivation, words) {
  const items = [];
  let at = 0;
  const between = (end) => {
    for (; at < end; at += 1) items.push(html("li", { class: "nothing" }, clean(words[at])));
  };
  for (const part of derivation.parts) {
    between(part.start);
    const gave = html("span", { class: "gave" }, clean(part.meaning));
    items.push(html("li", { class: "part-of" }, clean(part.words), gave));
    at = Math.max(at, part.end);
  }
  between(words.length);
  const label = "The words of the question, and what they gave";
  into.replaceChildren(html("ul", { class: "phrases", "aria-label": label }, ...items));
  describe(list, derivation.silent.map((text) => ["Not said", clean(text)]));
}
