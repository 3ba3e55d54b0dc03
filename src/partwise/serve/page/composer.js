// Where questions are typed: completion from the database's names, and the questions before.

import { byId, call, clean, html } from "./dom.js";

const PAUSE = 120;

/** Let the question's input complete names (if the server knows any) and recall what was asked.
 * `past` gives the questions before; `leave` is called by Esc where there is nothing to close. */
export function compose({ completes, past, leave }) {
  const input = byId("question"), list = byId("completions");
  let offered = [], active = -1, timer = 0, number = 0, back = 0;

  function close() {
    clearTimeout(timer);
    number += 1;
    offered = [];
    point(-1);
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
  }

  function point(at) {
    active = at;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", list.children[at].id);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  function take({ text, start }) {
    const rest = input.value.slice(input.selectionEnd);
    // The server counts characters, and this page their halves.
    const head = `${[...input.value].slice(0, start).join("")}${text}`;
    input.value = `${head}${rest || " "}`;
    const end = head.length + (rest ? 0 : 1);
    input.setSelectionRange(end, end);
    close();
    input.focus();
  }

  async function offer() {
    const mine = ++number, text = input.value.slice(0, input.selectionEnd);
    const found = /\S$/.test(text)
      ? await call(`complete?text=${encodeURIComponent(text)}`).catch(() => []) : [];
    if (mine !== number) return;
    if (!found.length || document.activeElement !== input) return close();
    offered = found;
    list.replaceChildren(...found.map((name, i) => {
      const item = html("li", { role: "option", id: `completion-${i}`, "aria-selected": "false" },
        html("span", {}, clean(name.text)),
        html("span", { class: "kind" }, clean(name.of ? `${name.kind} · ${name.of}` : name.kind)));
      // Before the input loses the focus.
      item.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        take(name);
      });
      return item;
    }));
    if (list.hidden) byId("status").textContent = `${found.length} names fit, for the arrow keys`;
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    point(-1);
  }

  function recall(step) {
    const asked = past();
    const at = Math.min(Math.max(back + step, 0), asked.length);
    if (at === back) return;
    back = at;
    input.value = back ? asked[asked.length - back] : "";
  }

  input.addEventListener("input", () => {
    back = 0;
    clearTimeout(timer);
    if (completes()) timer = setTimeout(offer, PAUSE);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const open = !list.hidden, step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && open) point(active + step < -1 ? offered.length - 1 : (active + step) % offered.length);
    else if (step && (back || !input.value)) recall(-step);
    else if (["Enter", "Tab"].includes(event.key) && open && active >= 0) take(offered[active]);
    else if (event.key === "Escape") open ? close() : leave();
    else return;
    event.preventDefault();
  });
  byId("form").addEventListener("submit", () => {
    back = 0;
    close();
  });
}
