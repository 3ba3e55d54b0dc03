// Making elements, and asking the server. Texts are only ever set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** An HTML element with attributes; children are elements or texts. */
export const html = (name, attributes = {}, ...children) =>
  filled(document.createElement(name), attributes, children);

/** An SVG element. */
export const svg = (name, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, name), attributes, children);

/** The element of an id. */
export const byId = (id) => document.getElementById(id);

/** A button that does something when it is clicked. */
export function button(label, act, attributes = {}) {
  const made = html("button", { type: "button", ...attributes }, ...[label].flat());
  made.addEventListener("click", () => act(made));
  return made;
}

/** A tool: a button that says for a moment what it has done. */
export const tool = (label, done, act) => button(label, async (made) => {
  await act();
  if (!done) return;
  made.textContent = done;
  setTimeout(() => { made.textContent = label; }, 1500);
}, { class: "tool" });

/** What is folded away under a summary. */
export const folded = (summary, open, ...children) => {
  const made = html("details", {}, html("summary", {}, summary), ...children);
  made.open = open;
  return made;
};

/** A share in percent; never quite 100 for what is not certain. */
export function percent(share) {
  if (share === null || share === undefined) return "";
  if (share > 0.9995 && share < 1) return "> 99.9 %";
  return share >= 0.001 ? `${(100 * share).toFixed(1)} %` : "< 0.1 %";
}

/** A text without marks that steer its direction or are not to be seen. */
export const clean = (text) => text.replace(/[\p{Cc}\p{Cf}]/gu, "�");

/** The same of a text of several lines. */
export const cleanLines = (text) => text.split("\n").map(clean).join("\n");

/** A text as a sentence: with a capital and a full stop. */
export function sentence(text) {
  const words = clean(text);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}

/** Why the server gave no reply: `status`, and `wait`, the seconds after which to ask again. */
export class Refusal extends Error {
  constructor(status, detail, wait = 0) {
    super(detail);
    Object.assign(this, { status, wait });
  }
}

let key = "";

/** Send a key with each call from now on. It is kept nowhere else. */
export const useKey = (text) => { key = text; };

/** Call the server: what it replies. Raises Refusal with status 0 if it cannot be reached. */
export async function call(path, body = null, signal = undefined) {
  const headers = {};
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body) headers["Content-Type"] = "application/json";
  const sent = body ? { method: "POST", body: JSON.stringify(body) } : {};
  try {
    const response = await fetch(path, { ...sent, headers, signal });
    const found = await response.json();
    if (response.ok) return found;
    const wait = Number(response.headers.get("Retry-After")) || 0;
    throw new Refusal(response.status, found.detail ?? `the server says ${response.status}`, wait);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    throw new Refusal(0, "The server cannot be reached; is it still running?");
  }
}

/** Save a text or the bytes of a data address as a file. */
export function download(name, type, content) {
  const url = URL.createObjectURL(new Blob([content].flat(), { type }));
  html("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

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

const pen = document.createElement("canvas").getContext("2d");

/** The width of a text in pixels. */
export function textWidth(text, font) {
  pen.font = font;
  return pen.measureText(text).width;
}

/** Let a picture shrink to its room, as far as it can still be read; then it is scrolled. */
export function shrinkable(picture, width) {
  picture.style.minWidth = `${Math.round(0.8 * width)}px`;
}

/** Terms and what is said of them, in a definition list. */
export function describe(list, pairs) {
  const rows = pairs.filter(([, said]) => said !== null && said !== "");
  list.replaceChildren(
    ...rows.map(([term, said]) => html("div", {}, html("dt", {}, term), html("dd", {}, said))),
  );
}

/** Let one of several parts be reached by Tab and the rest by arrow keys. */
export function roving(parts, step) {
  const choose = (part) => {
    for (const other of parts) other.setAttribute("tabindex", other === part ? "0" : "-1");
  };
  choose(parts[0]);
  for (const part of parts) {
    part.addEventListener("focus", () => choose(part));
    part.addEventListener("keydown", (event) => {
      const next = step(part, event.key);
      if (!next) return;
      event.preventDefault();
      next.focus();
    });
  }
}
