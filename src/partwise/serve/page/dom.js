// Making elements. Texts are only ever set as text, never as markup.

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

/** A share in percent; never quite 100 for what is not certain. */
export function percent(share) {
  if (share === null || share === undefined) return "";
  if (share > 0.9995 && share < 1) return "> 99.9 %";
  return share >= 0.001 ? `${(100 * share).toFixed(1)} %` : "< 0.1 %";
}

/** A text without marks that steer its direction or are not to be seen. */
export const clean = (text) => text.replace(/[\p{Cc}\p{Cf}]/gu, "�");

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
