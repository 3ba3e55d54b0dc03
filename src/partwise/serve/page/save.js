// The conversation as a file that needs no page: questions, answers, charts and SQL.

import { svgOf } from "./chart.js";
import { clean, cleanLines, download, html } from "./dom.js";
import { columnsOf, spelled } from "./values.js";

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse}th,td{padding:.2rem .8rem .2rem 0;text-align:left;
border-bottom:1px solid #ccc}pre{white-space:pre-wrap;color:#555}svg{max-width:100%}`;

/** Save turns as an HTML file. */
export async function saveConversation(domain, turns) {
  const parts = [];
  for (const turn of turns) parts.push(await section(turn));
  const title = `Questions about ${clean(domain)}`;
  const body = html("body", {}, html("h1", {}, title), html("p", {}, dateOfToday()), ...parts);
  const head = html("head", {}, html("meta", { charset: "utf-8" }), html("title", {}, title),
    html("style", {}, STYLE));
  const whole = html("html", { lang: "en" }, head, body);
  download("conversation.html", "text/html", `<!doctype html>\n${whole.outerHTML}\n`);
}

const dateOfToday = () =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" }).format(new Date());

async function section({ reply, reading }) {
  const parts = [html("h2", {}, clean(reply.question))];
  if (reading.status === "doubtful") parts.push(html("p", {}, "This may not be what was meant."));
  if (reading.reason !== null) parts.push(html("p", {}, `No answer: ${clean(reading.reason)}`));
  else if (reading.answer) parts.push(...(await answer(reading)));
  if (reading.restated) parts.push(html("p", {}, `Understood as: ${clean(reading.restated)}`));
  if (reading.sql) parts.push(html("pre", {}, cleanLines(reading.sql)));
  return html("section", {}, ...parts);
}

async function answer(reading) {
  const columns = reading.columns ? columnsOf(reading) : [{ name: "Answer", type: "" }];
  const row = (values) => html("tr", {}, ...[values].flat().map((value, i) =>
    html("td", {}, spelled(value, columns[i]))));
  const heads = columns.map(({ name }) => html("th", { scope: "col" }, clean(name)));
  const table = html("table", {}, html("thead", {}, html("tr", {}, ...heads)),
    html("tbody", {}, ...reading.answer.map(row)));
  if (!reading.display?.chart) return [table];
  const drawn = new DOMParser().parseFromString(await svgOf(reading.display.chart), "image/svg+xml");
  return [html("p", {}, document.importNode(drawn.documentElement, true)), table];
}
