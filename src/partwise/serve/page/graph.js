// A query graph, as a drawing whose edges and attributes show the words that they rest on.

import { clean, describe, html, roving, shrinkable, svg, textWidth } from "./dom.js";

const BADGE = 7.5, MARGIN = 12, COLORS = 8, SHOWN = 0.05, MOST = 40;
const LABEL = "12px system-ui, sans-serif";

/** Draw a graph into an element; what an edge says goes into a definition list. */
export function drawGraph(into, list, drawing, words) {
  const width = drawing.width + 2 * MARGIN, height = drawing.height + 2 * MARGIN;
  const picture = svg("svg", {
    width, height, viewBox: `${-MARGIN} ${-MARGIN} ${width} ${height}`, role: "list",
    "aria-label": "Graph of the query: its edges and attributes, and the words they rest on",
  });
  const line = words.map((word) => html("span", {}, clean(word)));
  const said = html("p", { class: "grounding", "aria-hidden": "true" });
  line.forEach((word) => said.append(word, " "));
  const items = new Map(drawing.items.map((item) => [item, part(item)]));
  const byNumber = new Map(drawing.items.map((item) => [item.number, item]));
  for (const item of drawing.items.filter((one) => one.curve)) picture.append(edge(item, items));
  for (const node of drawing.nodes) picture.append(...card(node, byNumber, items));
  for (const item of drawing.items.filter((one) => one.curve)) {
    label(items.get(item), item, item.label_at[0], item.label_at[1], true);
    picture.append(items.get(item));
  }

  const show = (item) => {
    for (const [other, group] of items) group.classList.toggle("lit", other === item);
    line.forEach((word, i) => {
      word.className = item.number ? `lit c${item.number % COLORS}` : "";
      word.style.setProperty("--weight", `${Math.round(100 * item.weights[i])}%`);
    });
    describe(list, [["Edge", sentence(item)], ["Words", grounded(item, words)]]);
  };
  for (const [item, group] of items) {
    group.setAttribute("aria-label", `${sentence(item)}. ${grounded(item, words)}`);
    group.addEventListener("pointerenter", () => show(item));
    group.addEventListener("focus", () => show(item));
  }
  shrinkable(picture, width);
  into.replaceChildren(said, picture);
  const groups = drawing.items.map((item) => items.get(item));
  if (!groups.length) return describe(list, []);
  roving(groups, (group, key) => stepped(groups, groups.indexOf(group), key));
  show(drawing.items[0]);
}

const part = (item) =>
  svg("g", { class: `item ${item.kind} c${item.number % COLORS}`, role: "listitem" });

const sentence = (item) => `${item.subject} ${item.label} ${item.target}`;

/** The words that an item rests on, the most first: "directed 83 %, by 9 %". */
function grounded(item, words) {
  const best = item.weights.map((weight, i) => [weight, words[i]]).filter(([w]) => w >= SHOWN);
  best.sort((one, other) => other[0] - one[0]);
  return best.map(([weight, word]) => `${clean(word)} ${Math.round(100 * weight)} %`).join(", ");
}

function stepped(groups, at, key) {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
  if (by) return groups[at + by];
  return { Home: groups[0], End: groups[groups.length - 1] }[key];
}

function edge(item, items) {
  const [[ax, ay], [bx, by], [cx, cy], [x, y]] = item.curve;
  const d = `M${ax} ${ay}C${bx} ${by} ${cx} ${cy} ${x} ${y}`;
  const group = items.get(item);
  group.append(svg("path", { class: "reach", d }), svg("path", { class: "edge", d }));
  if (item.kind === "edge") group.append(head(item.curve));
  return group;
}

/** The arrow's head, along the end of the curve. */
function head([a, b, c, d]) {
  const at = (t, i) => (1 - t) ** 3 * a[i] + 3 * (1 - t) ** 2 * t * b[i]
    + 3 * (1 - t) * t ** 2 * c[i] + t ** 3 * d[i];
  const length = Math.max(Math.hypot(d[0] - at(0.94, 0), d[1] - at(0.94, 1)), 0.1);
  const dx = (9 * (d[0] - at(0.94, 0))) / length, dy = (9 * (d[1] - at(0.94, 1))) / length;
  const wing = (side) => `${d[0] - dx - side * dy * 0.45},${d[1] - dy + side * dx * 0.45}`;
  return svg("polygon", { class: "head", points: `${d[0]},${d[1]} ${wing(1)} ${wing(-1)}` });
}

function card(node, byNumber, items) {
  const left = node.x - node.width / 2, top = node.y - node.height / 2;
  const kind = `thing${node.entity ? " entity" : ""}${node.asked ? " asked" : ""}`;
  const group = svg("g", { class: kind }, svg("rect", {
    x: left, y: top, width: node.width, height: node.height, rx: 9,
  }));
  let y = top + 21;
  group.append(svg("text", { class: "name", x: node.x, y }, node.name));
  if (node.note) group.append(svg("text", { class: "note", x: node.x, y: (y += 14) }, node.note));
  const rows = node.attributes.map((number) => {
    y += 19;
    const item = byNumber.get(number), own = items.get(item);
    own.append(svg("rect", {
      class: "reach", x: left + 4, y: y - 13, width: node.width - 8, height: 18, rx: 4,
    }));
    label(own, { ...item, label: `${item.label}: ${item.target}` }, left + 10, y - 4);
    return own;
  });
  return [group, ...rows];
}

/** An item's number in a disc and what it says, from x on or with its middle there. */
function label(into, item, x, y, middle = false) {
  const said = item.label.length > MOST ? `${item.label.slice(0, MOST - 1)}…` : item.label;
  if (!item.number) return into.append(svg("text", { class: "label", x, y: y + 4 }, said));
  const wide = 2 * BADGE + 4 + textWidth(said, LABEL);
  const left = middle ? x - wide / 2 : x;
  return into.append(
    svg("circle", { class: "disc", cx: left + BADGE, cy: y, r: BADGE }),
    svg("text", { class: "number", x: left + BADGE, y: y + 3.4 }, String(item.number)),
    svg("text", { class: "label from", x: left + 2 * BADGE + 4, y: y + 4 }, said),
  );
}
