// The chart of an answer, drawn by Vega from the specification that the server gives.

import { download, html, tool } from "./dom.js";

const SCHEME = matchMedia("(prefers-color-scheme: dark)");
const AXIS = 50;
const PRINT = { text: "#1b1f24", soft: "#57606a", line: "#d5dae0", accent: "#1f5fd0" };

/** The page's colours as they are now. */
function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(Object.keys(PRINT).map((name) =>
    [name, style.getPropertyValue(`--${name}`).trim()]));
}

const theme = ({ text, soft, line, accent }) => ({
  background: "transparent",
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: {
    labelColor: soft, titleColor: soft, gridColor: line, domainColor: line, tickColor: line,
    labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", labelLimit: 160,
    labelSeparation: 6,
  },
  legend: { labelColor: text, titleColor: soft, labelFontSize: 12, titleFontSize: 12 },
  title: { color: text }, bar: { fill: accent }, line: { stroke: accent }, point: { fill: accent },
});

/** Draw a specification into an element; gives the view, and what ends it. */
async function draw(into, spec, { print = false } = {}) {
  const { drawChart } = await import("./vega.js");
  const config = { ...theme(print ? PRINT : colours()), ...(print ? { background: "#ffffff" } : {}) };
  return drawChart(into, spec, { config });
}

/** About how high it will be, with its axis. */
function heightOf({ height, data }) {
  return AXIS + (typeof height === "number" ? height : (height?.step ?? 0) * data.values.length);
}

/** A chart, drawn now and whenever the colours change. `label` is what a screen reader says. */
export function chart(spec, label) {
  const inside = html("div", { class: "vega", "aria-hidden": "true" });
  // What stands below does not move when it is drawn.
  inside.style.minHeight = `${heightOf(spec)}px`;
  const element = html("div", { class: "chart" },
    html("p", { class: "unseen" }, label), inside);
  let drawn = null;
  const again = async () => {
    drawn?.finalize();
    if (!element.isConnected) return SCHEME.removeEventListener("change", again);
    try {
      drawn = await draw(inside, spec);
      inside.style.minHeight = "";
    } catch {
      element.replaceChildren(
        html("p", { class: "note" }, "The chart cannot be drawn here; the table has all of it."));
    }
  };
  SCHEME.addEventListener("change", again);
  // Its width is known once it is on the page.
  requestAnimationFrame(again);
  return element;
}

/** The chart for a file, in dark letters on white. */
async function printed(spec, make) {
  const into = html("div", { class: "print" });
  document.body.append(into);
  try {
    const { view, finalize } = await draw(into, spec, { print: true });
    const made = await make(view);
    finalize();
    return made;
  } finally {
    into.remove();
  }
}

/** The chart as SVG, for a file. */
export const svgOf = (spec) => printed(spec, (view) => view.toSVG());

async function saveImage(spec) {
  const address = await printed(spec, (view) => view.toImageURL("png", 2));
  const bytes = Uint8Array.from(atob(address.split(",")[1]), (sign) => sign.charCodeAt(0));
  download("chart.png", "image/png", bytes);
}

/** What saves a chart. */
export const chartTools = (spec) => [
  tool("Save as PNG", "Saved", () => saveImage(spec)),
  tool("Save as SVG", "Saved", async () => download("chart.svg", "image/svg+xml", await svgOf(spec))),
];
