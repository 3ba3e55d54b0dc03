// A span tree over its question, as a drawing whose nodes can be hovered, focused and stepped through.

import { clean, describe, roving, shrinkable, svg, textWidth } from "./dom.js";

const SANS = "system-ui, sans-serif";
const MONO = "ui-monospace, Menlo, Consolas, monospace";
const WORD = `16px ${SANS}`;
const CODE = `13px ${MONO}`;
const ROW = 52, GAP = 7, BETWEEN = 22, PILL = 28, MARGIN = 10, BELOW = 78, LEAST = 150;

/** A tree as it is drawn: nodes of one child, which only add words, are one with that child. */
function parts(node, middle = false) {
  let inner = node;
  while (inner.children.length === 1) inner = inner.children[0];
  const children = [];
  let at = node.start;
  const gap = (end) => {
    if (at < end) children.push({ start: at, end, node: null, children: [] });
  };
  inner.children.forEach((child, i) => {
    gap(child.start);
    children.push(parts(child, inner.children.length === 3 && i === 1));
    at = child.end;
  });
  if (inner.children.length) gap(node.end);
  return { start: node.start, end: node.end, node: inner, children, middle };
}

function move(box, by) {
  box.x += by;
  for (const word of box.words) word.x += by;
  for (const child of box.children) move(child, by);
}

/** The innermost arguments go first where a program has no room: f(g(…)), f(…). */
function shorten(program, room) {
  for (let depth = 8; depth >= 0; depth -= 1) {
    let level = 0, text = "";
    for (const sign of program) {
      if (sign === ")") level -= 1;
      if (level <= depth) text += sign;
      else if (!text.endsWith("…")) text += "…";
      if (sign === "(") level += 1;
    }
    if (textWidth(text, CODE) <= room || depth === 0) return text;
  }
  return program;
}

function placeLeaf(part, words) {
  const box = { part, level: 0, children: [], words: [], label: part.node?.category ?? "" };
  let at = 0;
  for (let i = part.start; i < part.end; i += 1) {
    const width = textWidth(clean(words[i]), WORD);
    box.words.push({ i, x: at + width / 2, width });
    at += width + GAP;
  }
  const { start, end } = part.node ?? part;
  const own = box.words.filter((word) => start <= word.i && word.i < end);
  const first = own[0], last = own[own.length - 1];
  box.bar = [first.x - first.width / 2, last.x + last.width / 2];
  box.x = (box.bar[0] + box.bar[1]) / 2;
  box.half = part.node ? textWidth(box.label, CODE) / 2 + 12 : 0;
  const left = Math.min(0, box.x - box.half);
  box.width = Math.max(at - GAP, box.x + box.half) - left;
  box.bar = box.bar.map((x) => x - box.x);
  move(box, -left);
  return box;
}

function place(part, words) {
  if (!part.children.length) return placeLeaf(part, words);
  const children = part.children.map((child) => place(child, words));
  let right = -BETWEEN;
  for (const child of children) {
    move(child, right + BETWEEN);
    right += BETWEEN + child.width;
  }
  const label = shorten(clean(part.node.program), Math.max(right, LEAST));
  const half = textWidth(label, CODE) / 2 + 8;
  const width = Math.max(right, 2 * half);
  for (const child of children) move(child, (width - right) / 2);
  const meant = children.filter((child) => child.part.node);
  const middle = (meant[0].x + meant[meant.length - 1].x) / 2;
  const x = Math.min(Math.max(middle, half), width - half);
  const level = 1 + Math.max(...children.map((child) => child.level));
  return { part, level, label, half, width, x, children, words: [] };
}

/** Draw a tree into an element; what a node says goes into a definition list. */
export function drawTree(into, list, tree, words) {
  const root = place(parts(tree), words);
  const height = root.level * ROW + BELOW + MARGIN + PILL / 2;
  const width = root.width + 2 * MARGIN;
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "tree" });
  picture.setAttribute("aria-label", "Tree of the question: which words gave which part");
  const nodes = [], texts = new Map();
  move(root, MARGIN);
  paint(root, 1, null);

  function paint(box, depth, parent) {
    const y = height - BELOW - box.level * ROW;
    box.y = y;
    for (const word of box.words) {
      const kind = box.part.node && inside(word.i, box.part.node) ? "word" : "word phi";
      const text = svg("text", { class: kind, x: word.x, y: height - 12 }, clean(words[word.i]));
      texts.set(word.i, text);
      picture.append(text);
    }
    if (!box.part.node) return;
    const group = svg("g", {
      class: `node ${box.part.node.kind}`, role: "treeitem", "aria-level": depth,
      "aria-label": said(box.part.node), "data-start": box.part.node.start,
    });
    nodes.push({ group, box, parent });
    for (const child of box.children) {
      paint(child, depth + 1, box);
      if (child.part.node) picture.prepend(line(box, child));
    }
    const tall = box.level ? PILL - 2 : PILL;
    group.append(svg("rect", {
      x: box.x - box.half, y: y - tall / 2, width: 2 * box.half, height: tall, rx: 8,
    }));
    if (!box.level) group.append(bar(box));
    group.append(svg("text", { class: "code", x: box.x, y: y + 4.5 }, box.label));
    picture.append(group);
  }

  function bar(box) {
    const [left, right] = box.bar.map((x) => x + box.x), under = height - 38;
    const d = `M${box.x} ${box.y + PILL / 2}V${under}M${left} ${under}H${right}`;
    return svg("path", { class: "under", d });
  }

  const show = (node) => {
    for (const { group, box } of nodes) group.classList.toggle("lit", box.part.node === node);
    for (const [i, text] of texts) text.classList.toggle("lit", inside(i, node));
    describe(list, [
      ["Words", words.slice(node.start, node.end).map(clean).join(" ")], ["Program", node.program],
      ["Type", node.type], ["Score", node.score === null ? "" : node.score.toFixed(2)],
    ]);
  };
  for (const { group, box } of nodes) {
    group.addEventListener("pointerenter", () => show(box.part.node));
    group.addEventListener("focus", () => show(box.part.node));
  }
  const groups = nodes.map(({ group }) => group);
  roving(groups, (group, key) => stepped(nodes, nodes[groups.indexOf(group)], key)?.group);
  shrinkable(picture, width);
  into.replaceChildren(picture);
  show(root.part.node);
}

const inside = (i, node) => node.start <= i && i < node.end;

function said(node) {
  const score = node.score === null ? "" : `, score ${node.score.toFixed(2)}`;
  return `“${clean(node.words)}” means ${node.program}, type ${node.type}${score}`;
}

function line(box, child) {
  const from = box.y + PILL / 2 - 1, to = child.y - PILL / 2, half = (from + to) / 2;
  const d = `M${box.x} ${from}C${box.x} ${half} ${child.x} ${half} ${child.x} ${to}`;
  return svg("path", { class: child.part.middle ? "line middle" : "line", d });
}

/** Up to what a node is part of, down to its first part, left and right beside it. */
function stepped(nodes, at, key) {
  const beside = nodes.filter((other) => other.parent === at.parent);
  const place = beside.indexOf(at);
  const found = {
    ArrowUp: () => nodes.find((other) => other.box === at.parent),
    ArrowDown: () => nodes.find((other) => other.parent === at.box),
    ArrowLeft: () => beside[place - 1],
    ArrowRight: () => beside[place + 1],
    Home: () => nodes[0],
    End: () => nodes[nodes.length - 1],
  };
  return found[key]?.();
}
