// The page: asks the server, and keeps the conversation. The address has the questions of the
// conversation, so that it can be linked to, gone back in, and loaded again.

import { compose } from "./composer.js";
import { button, byId, call, clean, copy, html, tool, useKey } from "./dom.js";
import { saveConversation } from "./save.js";
import { showSchema } from "./schema.js";
import { announced, article, showFailure, showProgress, showReply } from "./turn.js";

const READINGS = 4;
/** Questions that the address has, the last ones. */
const LINKED = 50;
const EXAMPLES = 6;
const LONGEST_WAIT = 120_000;
const FRONT = document.title;

let about = { runs: true, goes_on: false, limits: { k: READINGS }, examples: [] };
/** What was asked and answered: question, reply, the reading shown, the option that was chosen. */
let turns = [];
/** The question that is under way, or that failed: its article, and what ends it. */
let pending = null;

/** The steps of a conversation as an address has them. */
const address = (some) => some.slice(-LINKED).map(({ question, option }) =>
  `q=${encodeURIComponent(question)}${option ? `&o=${encodeURIComponent(option)}` : ""}`).join("&");

function steps() {
  const hash = location.hash.slice(1);
  if (!hash.startsWith("q=")) {
    try {
      return hash ? [{ question: decodeURIComponent(hash) }] : [];
    } catch {
      // An address that was typed wrongly asks nothing.
      return [];
    }
  }
  const found = [];
  for (const [name, value] of new URLSearchParams(hash.replaceAll("+", "%2B"))) {
    if (name === "q" && value.trim()) found.push({ question: value });
    if (name === "o" && found.length) found[found.length - 1].option = value;
  }
  return found.slice(-LINKED);
}

/** What the next question may go on from: the last one that has a program. */
function before(some = turns) {
  const last = some.findLast(({ reading }) => reading.meaning);
  return last && { question: last.question, program: last.reading.meaning };
}

const post = (path, turn, body, signal) => call(path, {
  question: turn.question, ...body, display: true,
  ...(turn.after && about.goes_on ? { after: turn.after } : {}),
}, signal);

/** Ask a question behind the others; `option` is what was chosen of it when it was linked to. */
async function ask(question, { remember = true, option = null } = {}) {
  drop();
  say("");
  if (!question) return say("Type a question first.");
  const mine = { node: article(question), control: new AbortController() };
  const turn = { question, after: before(), node: mine.node };
  pending = mine;
  byId("turns").append(mine.node);
  refresh();
  showProgress(mine.node, cancel);
  byId("status").textContent = "Looking for the answer";
  scrollTo(mine);
  const timer = setTimeout(() => mine.control.abort("late"), LONGEST_WAIT);
  try {
    const body = { k: Math.min(READINGS, about.limits.k) };
    turn.reply = await post(about.runs ? "ask" : "parse", turn, body, mine.control.signal);
    turn.reading = turn.reply;
    if (option) {
      turn.option = option;
      turn.reading = await post("clarify", turn, { option }, mine.control.signal);
    }
    if (pending !== mine) return;
    pending = null;
    turns.push(turn);
    if (remember) history.pushState(null, "", `#${address(turns)}`);
    show(turn);
    scrollTo(mine);
    if (byId("question").value.trim() === question) byId("question").value = "";
  } catch (error) {
    if (pending === mine) fail(mine, question, error, { remember, option });
  } finally {
    clearTimeout(timer);
  }
}

/** Bring what was asked last to the top; the first one stands there below the page's head. */
function scrollTo({ node }) {
  if (node !== byId("turns").firstChild) node.scrollIntoView({ block: "start" });
}

/** What went wrong with a question, in its place. */
function fail(mine, question, error, how) {
  const late = mine.control.signal.reason === "late";
  if (mine.control.signal.aborted && !late) return drop();
  const busy = [429, 503].includes(error.status);
  const message = late ? "No answer came within two minutes; ask something that takes less"
    : busy ? `Many questions are being asked just now: ${error.message}` : error.message;
  const again = tool("Try again", "", () => ask(question, how));
  if (error.status === 401) showFailure(mine.node, "A key is needed to ask here", ...keyField(again));
  else showFailure(mine.node, message, again);
  if (busy && error.wait) {
    again.disabled = true;
    setTimeout(() => { again.disabled = false; }, 1000 * Math.min(error.wait, 60));
  }
  byId("status").textContent = clean(message);
}

/** Where a key is typed. */
function keyField(again) {
  const input = html("input", { type: "password", id: "key", autocomplete: "off" });
  input.addEventListener("input", () => useKey(input.value.trim()));
  return [html("label", { for: "key" }, "Key"), input, again];
}

/** End what is under way, and take away its article. */
function drop() {
  pending?.control.abort();
  pending?.node.remove();
  pending = null;
  refresh();
}

function cancel() {
  if (!pending) return;
  drop();
  byId("status").textContent = "Cancelled";
  byId("question").focus();
}

/** A fault of what was typed. */
function say(message) {
  byId("error").textContent = message;
  byId("question").setAttribute("aria-invalid", String(Boolean(message)));
  if (message) byId("question").focus();
}

function show(turn) {
  showReply(turn.node, turn, {
    choose: (option) => choose(turn, option),
    pick: (reading) => pick(turn, reading),
    confirm: about.confirms ? () => confirm(turn) : null,
    name: about.confirms && about.describes ? (word) => name(turn, word) : null,
    link: () => copy(linkOf(turn)),
    undo: () => undo(turn),
  });
  byId("status").textContent = announced(turn);
  document.title = `${clean(turn.question)} – ${FRONT}`;
  refresh();
}

/** Show the answer in a meaning that was chosen. */
async function choose(turn, option, otherwise = null) {
  turn.node.setAttribute("aria-busy", "true");
  try {
    turn.reading = await post("clarify", turn, { option });
    turn.option = option;
    // The next question back takes the place of the first one.
    if (turn.reading.clarification) turn.reply = turn.reading;
  } catch (error) {
    if (!otherwise) return say(error.message);
    turn.reading = otherwise;
  } finally {
    turn.node.removeAttribute("aria-busy");
  }
  redo(turn);
}

/** Show another reading: whole, as an alternative has its first rows alone. */
async function pick(turn, reading) {
  if (reading.option && about.runs) await choose(turn, reading.option, reading);
  else {
    turn.reading = reading;
    turn.option = null;
    redo(turn);
  }
  const pressed = turn.node.querySelector(".others [aria-pressed=true]");
  if (pressed) pressed.closest("details").open = true;
  pressed?.focus();
}

/** Show a turn again. What went on from it went on from what is another answer now. */
function redo(turn) {
  const start = turns.indexOf(turn) + 1;
  const end = turns.findIndex(({ reply }, i) => i >= start && !reply.goes_on);
  const stale = turns.splice(start, (end < 0 ? turns.length : end) - start);
  for (const later of stale) later.node.remove();
  history.replaceState(null, "", `#${address(turns)}`);
  show(turn);
  if (document.activeElement === document.body) turn.node.querySelector(".asked").focus();
}

async function confirm(turn) {
  const body = { question: turn.question, program: turn.reading.meaning };
  try {
    turn.reading.verified = (await call("confirm", body)).verified;
    show(turn);
  } catch (error) {
    say(error.message);
  }
}

/** Keep what a word means, and ask again. */
function name(turn, word) {
  showSchema(async (_, place) => {
    try {
      await call("synonym", { word, place });
      ask(turn.question);
    } catch (error) {
      say(error.message);
    }
  }, `What does “${clean(word)}” mean?`, "Click what it means. It is kept, for all who ask.");
}

/** The address that asks a question again, with those that it goes on from. */
function linkOf(turn) {
  const end = turns.indexOf(turn) + 1;
  let start = end - 1;
  while (start > 0 && turns[start].reply.goes_on) start -= 1;
  return `${location.href.split("#")[0]}#${address(turns.slice(start, end))}`;
}

/** Take a question back, and those behind it. */
function undo(turn) {
  const question = turn.question;
  keep(turns.indexOf(turn));
  history.pushState(null, "", turns.length ? `#${address(turns)}` : location.pathname);
  byId("question").value = question;
  byId("question").focus();
  byId("status").textContent = `Taken back: ${clean(question)}`;
}

/** Keep the first turns alone. */
function keep(number) {
  drop();
  for (const turn of turns.splice(number)) turn.node.remove();
  document.title = turns.length ? `${clean(turns[number - 1].question)} – ${FRONT}` : FRONT;
  refresh();
}

function refresh() {
  byId("start").hidden = Boolean(turns.length || pending);
  document.body.classList.toggle("fresh", !byId("start").hidden);
  byId("save").hidden = byId("anew").hidden = !turns.length;
  turns.forEach((turn, i) => turn.node.classList.toggle("last", i === turns.length - 1));
}

/** Ask what the address has and the page has not. */
async function fromAddress() {
  const wanted = steps();
  const same = (turn, step) => turn && step && turn.question === step.question
    && (turn.option ?? "") === (step.option ?? "");
  // The address of a long conversation has the last questions alone.
  const start = wanted.length < LINKED ? 0
    : Math.max(0, turns.findIndex((_, i) => wanted.every((step, j) => same(turns[i + j], step))));
  const other = turns.findIndex((turn, i) => i >= start && !same(turn, wanted[i - start]));
  keep(other < 0 ? turns.length : other);
  for (const { question, option } of wanted.slice(turns.length - start)) {
    const number = turns.length;
    await ask(question, { remember: false, option });
    if (turns.length === number) return;
  }
}

function showExamples() {
  const items = about.examples.slice(0, EXAMPLES).map((question) =>
    html("li", {}, button(clean(question), () => ask(question))));
  byId("examples").querySelector("ul").replaceChildren(...items);
  byId("examples").hidden = !items.length;
}

/** Put a name where the question is typed. */
function insert(name) {
  const input = byId("question"), text = input.value.trimEnd();
  input.value = text ? `${text} ${name} ` : `${name} `;
  input.focus();
}

async function begin() {
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    ask(byId("question").value.trim());
  });
  compose({ completes: () => about.describes, past: () => turns.map((turn) => turn.question), leave: cancel });
  document.querySelector(".skip").addEventListener("click", (event) => {
    // The address is that of a conversation.
    event.preventDefault();
    byId("question").focus();
  });
  byId("anew").addEventListener("click", () => {
    keep(0);
    history.pushState(null, "", location.pathname);
    byId("question").focus();
  });
  byId("save").addEventListener("click", () => saveConversation(about.domain, turns));
  byId("open-schema").addEventListener("click", () => showSchema((label) => insert(label)));
  window.addEventListener("popstate", fromAddress);
  try {
    about = await call("about");
    byId("about").textContent = `Questions about ${clean(about.domain)}`;
    byId("open-schema").hidden = !about.describes;
    byId("version").textContent = `Partwise ${(await call("health")).version}`;
    showExamples();
  } catch (error) {
    say(error.message);
  }
  await fromAddress();
  document.documentElement.dataset.ready = "true";
}

begin();
