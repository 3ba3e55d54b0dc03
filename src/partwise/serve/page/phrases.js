// The question, phrase by phrase, with what each phrase gave.

import { clean, describe, html } from "./dom.js";

/** Draw a derivation of phrases into an element; what no word gave goes into a definition list. */
export function drawPhrases(into, list, derivation, words) {
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
