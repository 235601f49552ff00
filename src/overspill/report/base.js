"use strict";
/* What every screen needs: elements made of text alone, numbers as people read them, and the data. */

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

// Strings become text nodes and attributes of ours: nothing that came from a tool is ever parsed as markup.
function el(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, heard] of Object.entries(value)) made.addEventListener(event, heard);
    else if (key === "class") made.className = value;
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) made.append(child);
  return made;
}

function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, String(value));
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) made.append(child);
  return made;
}

const whole = new Intl.NumberFormat("en-US");
const number = (value) => whole.format(Math.round(value));
const signed = (value) => (value > 0 ? "+" : value < 0 ? "\u2212" : "") + number(Math.abs(value));
const many = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

function brief(value) {
  const size = Math.abs(value);
  for (const [unit, scale] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
    if (size >= scale) return (value / scale).toFixed(size / scale >= 100 ? 0 : 1).replace(/\.0$/, "") + unit;
  }
  return number(value);
}

function bytes(value) {
  for (const [unit, scale] of [["GB", 2 ** 30], ["MB", 2 ** 20], ["KB", 1024]]) {
    if (value >= scale) return `${(value / scale).toFixed(1)} ${unit}`;
  }
  return `${number(value)} B`;
}

function lasting(seconds) {
  if (seconds < 1) return "at once";
  if (seconds < 90) return `${Math.round(seconds)} s later`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min later`;
  return seconds < 172800 ? `${Math.round(seconds / 3600)} h later` : `${Math.round(seconds / 86400)} days later`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const calendar = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const time = (at) => clock.format(at);
const day = (at) => calendar.format(at);

// Names come from tools and people: what turns writing around or cannot be seen is shown as what it is.
const ODD = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const plain = (name) => String(name).replace(ODD, "\ufffd");

const state = { data: null, calls: null, window: [0, 0], picked: -1, scale: "root", filter: "", only: new Set(), by: "tool" };

/* The columns of the journal, unpacked. `host` is -1 where nobody knows what the host would have shown. */
class Calls {
  constructor(record) {
    Object.assign(this, record);
    this.toolColumn = record.tool;
    this.tool = (index) => plain(this.names.tool[this.toolColumn[index]]);
    this.size = record.said.length;
    let at = 0;
    this.at = record.at.map((step) => (at += step));
    this.artifactsOf = new Map();
    let call = 0;
    record.artifacts.forEach((step, index) => {
      call += step;
      if (!this.artifactsOf.has(call)) this.artifactsOf.set(call, []);
      this.artifactsOf.get(call).push(index);
    });
    this.callOf = [];
    call = 0;
    for (const step of record.artifacts) this.callOf.push((call += step));
    this.real = record.event.map((event) => event < 4);
  }
  has(index, mark) { return (this.marks[index] >> this.markNames.indexOf(mark)) & 1; }
  net(index) {
    const spent = this.shown[index] + this.fetched[index] + this.ours[index];
    if (this.has(index, "rerun")) return -spent;
    return this.host[index] < 0 ? null : this.host[index] - spent;
  }
  aside(index) { return Math.max(0, this.said[index] - this.shown[index] - this.fetched[index]); }
  command(index) { const held = this.sources && this.artifactsOf.get(index); return held ? plain(this.sources[held[0]] || "") : ""; }
  isCut(index) { return this.event[index] === 1 || this.event[index] === 2; }
  outcome(index) { return ["whole", "cut", "refused", "failed", "our tools", "earlier", "compacted"][this.event[index]]; }
}

function sums(calls, chosen) {
  const total = { calls: 0, said: 0, host: 0, hostless: 0, shown: 0, fetched: 0, ours: 0, net: 0, cut: 0, failed: 0, secrets: 0, rerun: 0, known: 0 };
  for (const index of chosen) {
    if (calls.has(index, "compacted")) continue;
    // As `spill stats` books it: a command run again would not have been run, so its view is a fetch and its host nothing.
    const again = calls.has(index, "rerun");
    total.said += calls.said[index];
    total.shown += again ? 0 : calls.shown[index];
    total.fetched += calls.fetched[index] + (again ? calls.shown[index] : 0);
    total.ours += calls.ours[index];
    if (calls.real[index]) {
      total.calls += 1;
      total.cut += calls.isCut(index) ? 1 : 0;
      for (const mark of ["failed", "secrets", "rerun"]) total[mark] += calls.has(index, mark);
    }
    const net = calls.net(index);
    if (calls.host[index] >= 0 && !again) total.host += calls.host[index];
    if (net === null) total.hostless += 1;
    else { total.net += net; total.known += 1; }
  }
  return total;
}

const every = (calls) => Array.from({ length: calls.size }, (_, index) => index);

function block(id) {
  const found = $(id);
  return found === null ? null : JSON.parse(found.textContent);
}

/* Where the details come from: blocks in this file, or the program that serves the page. */
const PER_BLOCK = 200;
const source = {
  parsed: new Map(),
  token: new URLSearchParams(location.search).get("token") || "",
  async ask(path) {
    const answer = await fetch(path, { headers: { Authorization: `Bearer ${this.token}` }, cache: "no-store" });
    if (!answer.ok) throw new Error(`the program answered ${answer.status}`);
    return answer.json();
  },
  async parts(index) {
    if (state.data.live) return this.ask(`/api/parts?id=${encodeURIComponent(state.calls.ids[index])}`);
    const name = `parts-${Math.floor(index / PER_BLOCK)}`;
    if (!this.parsed.has(name)) this.parsed.set(name, block(name) || []);
    const record = this.parsed.get(name)[index % PER_BLOCK] || null;
    return record === null ? null : { ...record, texts: block(`text-${index}`) || [] };
  },
  /* A part of a long text that this page does not hold; only a live one can ask for it. */
  async text(index, start, end) {
    return state.data.live ? this.ask(`/api/text?id=${encodeURIComponent(state.calls.ids[index])}&start=${start}&end=${end}`) : [];
  },
  async changes() {
    return state.data.live ? this.ask("/api/changes") : state.data.changes || [];
  },
};

function say(words) { $("said").textContent = words; }

const tip = {
  show(x, y, ...content) {
    const box = $("tip");
    box.replaceChildren(...content);
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    box.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - width - 8))}px`;
    box.style.top = `${y + 18 + height > innerHeight ? Math.max(8, y - height - 12) : y + 18}px`;
  },
  hide() { $("tip").hidden = true; },
};

/* A list of which only what can be seen is in the page: twenty thousand rows cost as much as forty. */
class Rows {
  constructor(scroller, height, draw) {
    Object.assign(this, { scroller, height, draw, count: 0, drawn: new Map() });
    this.inner = el("div", { class: "rows", role: scroller.getAttribute("role") === "table" ? "rowgroup" : null });
    scroller.append(this.inner);
    let asked = false;
    this.refresh = () => { asked = false; this.paint(); };
    const ask = () => { if (!asked) { asked = true; requestAnimationFrame(this.refresh); } };
    scroller.addEventListener("scroll", ask, { passive: true });
    this.watch = new ResizeObserver(ask);
    this.watch.observe(scroller);
  }
  set(count) {
    this.count = count;
    this.inner.style.height = `${count * this.height}px`;
    this.drawn.clear();
    this.inner.replaceChildren();
    this.paint();
  }
  paint() {
    const top = Math.max(0, Math.floor((this.scroller.scrollTop - 40) / this.height) - 6);
    const end = Math.min(this.count, top + Math.ceil((this.scroller.clientHeight || 600) / this.height) + 14);
    for (const [index, row] of this.drawn) if (index < top || index >= end) { row.remove(); this.drawn.delete(index); }
    for (let index = top; index < end; index += 1) {
      if (this.drawn.has(index)) continue;
      const row = this.draw(index);
      row.style.top = `${index * this.height}px`;
      this.drawn.set(index, row);
      this.inner.append(row);
    }
  }
  reveal(index, place = 0.35) {
    const top = index * this.height, view = this.scroller.clientHeight;
    if (top < this.scroller.scrollTop + 40 || top + this.height > this.scroller.scrollTop + view) {
      this.scroller.scrollTop = Math.max(0, top - view * place);
    }
    this.paint();
  }
}
