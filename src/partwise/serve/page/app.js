// The page: asks the server, and shows what it says.

import { announced, answer, askedBack, marked, notes, readings, understood } from "./answer.js";
import { byId, clean, describe, html } from "./dom.js";
import { drawGraph } from "./graph.js";
import { drawPhrases } from "./phrases.js";
import { copy, tool } from "./table.js";
import { drawTree } from "./tree.js";

const READINGS = 4;
const TREE_HINT =
  "Point at a part, or step through the parts with Tab and the arrow keys, to see its words.";
const GRAPH_HINT =
  "Point at an edge, or step through the edges with Tab and the arrow keys, to see its words.";
const FRONT = document.title;

let about = { runs: true, limits: { k: READINGS }, examples: [] };
let asking = null;
/** The last question and its program, which the next question may go on from. */
let last = null, before = null;

async function called(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const sent = body ? { method: "POST", headers, body: JSON.stringify(body), signal } : { signal };
  const response = await fetch(path, sent);
  const found = await response.json();
  if (!response.ok) throw new Error(found.detail ?? `the server says ${response.status}`);
  return found;
}

/** Asks a question; with the id of what was asked back, in that meaning. */
async function ask(question, remember = true, option = null) {
  asking?.abort();
  const mine = new AbortController();
  asking = mine;
  fail("");
  if (!question.trim()) return fail("Type a question first.");
  byId("result").setAttribute("aria-busy", "true");
  try {
    const body = option ? { question, option } : { question, k: Math.min(READINGS, about.limits.k) };
    if (!option) before = last;
    if (before && about.goes_on) body.after = before;
    const path = option ? "clarify" : about.runs ? "ask" : "parse";
    const reply = await called(path, body, mine.signal);
    if (remember) history.pushState(null, "", `#${encodeURIComponent(question)}`);
    document.title = `${clean(question)} – ${FRONT}`;
    show(reply, 0);
    if (reply.meaning) last = { question, program: reply.meaning };
  } catch (error) {
    if (mine.signal.aborted) return;
    const lost = error instanceof TypeError || error instanceof SyntaxError;
    byId("result").hidden = true;
    fail(lost ? "The server cannot be reached; is it still running?" : error.message);
  } finally {
    if (asking === mine) byId("result").removeAttribute("aria-busy");
  }
}

function fail(message) {
  byId("error").textContent = message;
  byId("question").setAttribute("aria-invalid", String(Boolean(message)));
  if (message) {
    byId("status").textContent = "";
    byId("question").focus();
  }
}

function show(reply, chosen) {
  const all = [reply, ...reply.alternatives];
  const reading = all[chosen];
  byId("asked").replaceChildren(...marked(reply, reading));
  byId("understood").replaceChildren(...understood(reading));
  byId("answer").replaceChildren(...answer(reading));
  byId("notes").replaceChildren(...notes(reply, reading));
  byId("status").textContent = announced(reading);
  showAskedBack(reply, chosen);
  showReadings(reply, all, chosen);
  showMeaning(reading);
  byId("result").hidden = false;
  draw(reply, reading);
}

function showAskedBack(reply, chosen) {
  const back = chosen ? null : reply.clarification;
  byId("back").hidden = !back;
  if (!back) return;
  byId("back-title").textContent = clean(back.question);
  const choose = (option) => ask(reply.question, false, option);
  byId("back").querySelector("ol").replaceChildren(...askedBack(back, choose));
}

function showReadings(reply, all, chosen) {
  const section = byId("readings");
  section.hidden = all.length < 2;
  const choose = (i) => {
    show(reply, i);
    section.querySelectorAll("button")[i].focus();
  };
  section.querySelector("ol").replaceChildren(...readings(all, chosen, choose));
}

function showMeaning(reading) {
  byId("program").textContent = reading.meaning ?? "";
  byId("program").closest("section").hidden = reading.meaning === null;
  byId("sql").textContent = reading.sql ?? "";
  byId("sql").closest("section").hidden = !reading.sql;
  const tools = reading.sql ? [tool("Copy SQL", "Copied", () => copy(reading.sql))] : [];
  byId("sql-tools").replaceChildren(...tools);
}

/** A tree, a graph, or whatever else a plug-in draws, as text. */
function draw(reply, reading) {
  const into = byId("drawing"), list = byId("part"), there = reading.derivation;
  into.closest("section").hidden = !there;
  byId("drawing-hint").textContent = "";
  if (!there) return describe(list, []);
  if (there.parts) return drawPhrases(into, list, there, reply.words);
  const isGraph = Boolean(there.items), isTree = Boolean(there.children);
  if (isGraph || isTree) byId("drawing-hint").textContent = isGraph ? GRAPH_HINT : TREE_HINT;
  if (isGraph) return drawGraph(into, list, there, reply.words);
  if (isTree) return drawTree(into, list, there, reply.words);
  describe(list, []);
  into.replaceChildren(html("pre", {}, clean(there.text ?? JSON.stringify(there, null, 1))));
}

function showExamples() {
  const items = about.examples.map((question) => {
    const button = html("button", { type: "button" }, question);
    button.addEventListener("click", () => {
      byId("question").value = question;
      ask(question);
    });
    return html("li", {}, button);
  });
  byId("examples").querySelector("ul").replaceChildren(...items);
  byId("examples").hidden = !items.length;
}

function fromAddress() {
  last = null;
  let question = "";
  try {
    question = decodeURIComponent(location.hash.slice(1));
  } catch {
    // An address that was typed wrongly asks nothing.
  }
  byId("question").value = question;
  if (question) ask(question, false);
  else byId("result").hidden = true;
}

async function begin() {
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    ask(byId("question").value);
  });
  window.addEventListener("popstate", fromAddress);
  try {
    about = await called("about");
    const what = about.runs ? "answered" : "parsed";
    byId("about").textContent = `Questions about ${about.domain}, ${what} and explained`;
    byId("version").textContent = `Partwise ${(await called("health")).version}`;
    showExamples();
  } catch {
    fail("The server cannot be reached; is it still running?");
  }
  fromAddress();
  document.documentElement.dataset.ready = "true";
}

begin();
