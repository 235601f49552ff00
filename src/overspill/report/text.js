/* One call: what the tool said, with what the model saw lit, why, and what was fetched later. */

const WIDTH = 400; // characters of a line on one row; a longer one goes on below
const FOLDED_FROM = 4;
const REDACTED = /\[REDACTED: ([A-Za-z0-9 _-]{1,40})\]|REDACTED_PASSWORD/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

// Positions are in characters; a string here counts those beyond the first 65,536 twice.
const length = (text) => text.length - (text.match(PAIR) || []).length;
function unitsAt(text, chars) {
  if (length(text) === text.length) return Math.max(0, Math.min(text.length, chars));
  let at = 0;
  for (let seen = 0; seen < chars && at < text.length; seen += 1) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}

/* The rows of all texts that are here, and of what lies between them. */
function textRows(record) {
  const rows = [];
  let at = 0, line = 1;
  for (const [start, first, text] of record.texts) {
    if (start > at) rows.push({ absent: true, start: at, end: start, line, last: first });
    at = start;
    line = first;
    const parts = text.split(/(\r\n|\r|\n)/);
    for (let part = 0; part < parts.length; part += 2) {
      const said = parts[part], ended = parts[part + 1] || "";
      if (!said && !ended && part + 1 >= parts.length) break;
      for (let from = 0; from === 0 || from < said.length; ) {
        let to = Math.min(said.length, from + WIDTH);
        if (to < said.length && /[\ud800-\udbff]/.test(said[to - 1])) to -= 1;
        const piece = said.slice(from, to), end = at + length(piece) + (to === said.length ? ended.length : 0);
        rows.push({ start: at, end, line, text: piece, more: from > 0 });
        at = end;
        from = to;
        if (!said.length) break;
      }
      if (ended) line += 1;
    }
  }
  if (at < record.chars) rows.push({ absent: true, start: at, end: record.chars, line, last: record.lines + 1 });
  return rows;
}

/* Where no text is here: a row for every part that was shown and every one that was not. */
function rangeRows(record) {
  const rows = [], kept = record.kept || [];
  let at = 0, line = 1;
  for (const [start, end, first, last] of kept) {
    if (start > at) rows.push({ absent: true, start: at, end: start, line, last: first });
    rows.push({ range: true, start, end, line: first, last });
    at = end;
    line = last + 1;
  }
  if (at < record.chars && record.kept) rows.push({ absent: true, start: at, end: record.chars, line, last: record.lines + 1 });
  return rows;
}

/* Marks each row with the parts it meets: both lists are in order, so one walk is enough. */
function markRows(rows, spans, mark) {
  let from = 0;
  for (const row of rows) {
    while (from < spans.length && spans[from][1] <= row.start) from += 1;
    for (let next = from; next < spans.length && spans[next][0] < row.end; next += 1) if (spans[next][1] > row.start) mark(row, spans[next]);
  }
}

/* What was fetched of parts whose text is not here gets rows of its own. */
function withFetched(rows, placed) {
  const found = [];
  for (const row of rows) {
    let { start, line } = row;
    if (row.absent) for (const [from, to, first, last] of placed) {
      if (from >= row.end || to <= start) continue;
      if (from > start) found.push({ ...row, start, line, end: from, last: first });
      found.push({ range: true, start: Math.max(from, start), end: Math.min(to, row.end), line: from > start ? first : line, last: to < row.end ? last : Math.max(line, Math.min(last, row.last - 1)) });
      start = Math.min(to, row.end);
      line = last + 1;
    }
    if (start < row.end || row.start === row.end) found.push({ ...row, start, line });
  }
  return found;
}

function rowsOf(record) {
  const placed = (record.fetched || []).filter((one) => one[0]).map((one) => [...one[0], one]).sort((one, other) => one[0] - other[0]);
  const rows = withFetched(record.texts.length ? textRows(record) : rangeRows(record), placed);
  for (const row of rows) Object.assign(row, { kept: [], whys: [], fetched: [] });
  markRows(rows, record.kept || [], (row, span) => row.kept.push(span));
  markRows(rows, [...(record.whys || [])].sort((one, other) => one[0] - other[0]), (row, span) => { if (row.kept.length && !row.whys.includes(span[4])) row.whys.push(span[4]); });
  for (const row of rows) for (const span of placed) if (span[0] < row.end && span[1] > row.start) row.fetched.push(span[4]);
  const WEAK = ["start", "end", "context", "chosen"];
  for (const row of rows) if (row.whys.some((why) => !WEAK.includes(why))) row.whys = row.whys.filter((why) => !WEAK.includes(why));
  for (const row of rows) if (row.kept.length && !row.whys.length) row.whys.push(row.start === 0 ? "start" : row.end >= record.chars ? "end" : record.strategy === "smart" ? "room left" : record.strategy);
  return rows;
}

class TextView {
  constructor(record, call, artifact) {
    Object.assign(this, { record, call, artifact, rows: rowsOf(record), unfolded: new Set(), mode: "saw", hits: [], hit: -1, words: "" });
    this.box = el("div", { class: "text", tabindex: "0", role: "region", "aria-label": "What the tool said; what the model saw of it is lit" });
    this.map = el("div", { class: "map", role: "img", "aria-label": this.mapWords(), on: { pointerdown: (event) => this.jump(event) } });
    this.list = new Rows(this.box, 20, (place) => this.row(this.visible[place]));
    this.box.addEventListener("scroll", () => this.frame(), { passive: true });
    this.fold();
  }
  mapWords() {
    const kept = (this.record.kept || []).length, gaps = this.rows.filter((row) => !row.kept.length && row.absent).length;
    return `Map of the text: ${many(kept, "part")} shown${gaps ? `, ${many(gaps, "part")} not in this file` : ""}`;
  }
  /* What can be seen: rows, and one row for every run of rows that were left out. */
  fold() {
    this.visible = [];
    let from = 0;
    while (from < this.rows.length) {
      let to = from;
      const isPlain = (row) => !row.kept.length && !row.fetched.length;
      while (to < this.rows.length && isPlain(this.rows[to])) to += 1;
      const run = this.rows.slice(from, to);
      if (to - from >= FOLDED_FROM && this.mode !== "said" && !this.unfolded.has(this.rows[from].start)) this.visible.push({ fold: true, from, to, rows: run });
      else run.forEach((row, place) => this.visible.push(row.absent ? { fold: true, gone: true, from: from + place, to: from + place + 1, rows: [row] } : { at: from + place, row }));
      if (to < this.rows.length) this.visible.push({ at: to, row: this.rows[to] });
      from = to + 1;
    }
    this.list.set(this.visible.length);
    this.drawMap();
  }
  row(seen) {
    if (seen.fold) return this.foldRow(seen);
    const { row, at } = seen, before = at ? this.rows[at - 1] : null;
    const why = row.whys.length && (!before || row.whys.join() !== before.whys.join()) ? row.whys.join(", ") : "";
    const later = row.fetched.length && (!before || !before.fetched.includes(row.fetched[0])) ? `${lasting((row.fetched[0][2] - this.call.at) / 1000)}` : "";
    const style = `line${row.kept.length ? " kept" : ""}${row.fetched.length ? " fetched" : ""}`;
    const place = row.range ? (row.line === row.last ? number(row.line) : `${number(row.line)}\u2013${number(row.last)}`) : row.more ? "\u21b3" : number(row.line);
    return el("div", { class: this.isPartial(row) ? style.replace(" kept", "") : style }, el("span", { class: "no" }, row.range ? number(row.line) : place), el("span", { class: "why", title: why || later }, why || later),
      row.range ? el("span", { class: "what" }, `${row.line === row.last ? `line ${place}` : `lines ${place}`}, ${many(row.end - row.start, "character")} ${row.kept.length ? "shown" : "fetched"}`) : this.what(row),
      this.mode === "both" ? el("span", { class: "saw" }, this.keptWords(row)) : null);
  }
  /* Of a row what the model saw. */
  keptWords(row) {
    if (!row.kept.length || row.range) return null;
    if (!this.isPartial(row)) return this.what(row);
    const inside = row.kept.map(([start, end]) => row.text.slice(unitsAt(row.text, Math.max(0, start - row.start)), unitsAt(row.text, end - row.start)));
    return inside.map((text, place) => [place ? el("span", { class: "cut" }, " \u2026 ") : null, this.what({ text, start: 0, kept: [[0, text.length]] })]);
  }
  isPartial(row) {
    const said = row.start + (row.range ? row.end - row.start : length(row.text || ""));
    return row.kept.length > 0 && !row.kept.some((span) => span[0] <= row.start && span[1] >= said);
  }
  foldRow({ rows, from, to, gone }) {
    const first = rows[0], last = rows[rows.length - 1], chars = last.end - first.start, absent = rows.filter((row) => row.absent);
    const lines = (last.absent ? last.last : last.line + 1) - first.line;
    const words = lines > 1 ? `${many(lines, "line")} left out` : `${many(chars, "character")} left out`;
    const missing = absent.length && (this.record.texts.length || state.data.texts) ? `, ${absent.length === rows.length ? "not" : "not all"} in this page` : "";
    const label = `${words}${lines > 1 ? `, ${number(chars)} characters` : ""}${missing}`;
    const open = gone || absent.length === rows.length ? (state.data.live ? this.loadButton(first, label) : el("span", { class: "said" }, label)) : el("button", { type: "button", on: { click: () => { this.unfolded.add(first.start); this.fold(); } } }, label);
    return el("div", { class: "line fold" }, el("span", { class: "no" }, "\u22ee"), this.mode === "both" ? el("span", { class: "why" }) : null, open, this.mode === "both" ? el("span", { class: "saw" }, el("span", { class: "cut" }, `[\u2026 ${lines > 1 ? many(lines, "line") : many(chars, "char")}]`)) : null);
  }
  /* What a live page does not hold of a long text is asked for, some of it at a time. */
  loadButton(gap, label) {
    return el("button", { type: "button", class: "load", on: { click: async (event) => {
      const button = event.currentTarget;
      button.disabled = true;
      let pieces = [];
      try { pieces = await source.text(this.artifact, gap.start, gap.end); } catch (error) { say(error.message); }
      if (!pieces.length) { button.textContent = `${label}; it could not be read`; return; }
      this.put(pieces, gap);
    } } }, `${label}: load ${gap.end - gap.start > 65536 ? "the next of it" : "it"}`);
  }
  put(pieces, gap) {
    const texts = [...this.record.texts, ...pieces].sort((one, other) => one[0] - other[0]), joined = [];
    for (const [start, line, text] of texts) {
      const before = joined[joined.length - 1];
      if (before && before[0] + length(before[2]) === start) before[2] += text;
      else joined.push([start, line, text]);
    }
    this.record.texts = joined;
    this.rows = rowsOf(this.record);
    const run = this.rows.findIndex((row) => row.end > gap.start);
    let from = run;
    while (from > 0 && !this.rows[from - 1].kept.length && !this.rows[from - 1].fetched.length) from -= 1;
    this.unfolded.add(this.rows[from].start);
    const top = this.box.scrollTop;
    this.fold();
    this.box.scrollTop = top;
    this.list.paint();
    say(`${number(pieces.reduce((sum, one) => sum + length(one[2]), 0))} characters loaded`);
    if (this.words) this.find(this.words);
    this.box.focus({ preventScroll: true });
  }
  /* Text as text: redactions as bars, what cannot be seen by its number, what was found marked. */
  what(row) {
    const { text } = row, cuts = new Set([0, text.length]), special = [], found = [], lit = [];
    for (const match of text.matchAll(REDACTED)) special.push([match.index, match.index + match[0].length, "hid", match[1] || "password"]);
    for (const match of text.matchAll(CONTROL)) special.push([match.index, match.index + 1, "ctl", `U+${match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`]);
    if (this.words) for (let at = text.toLowerCase().indexOf(this.words); at >= 0; at = text.toLowerCase().indexOf(this.words, at + this.words.length)) found.push([at, at + this.words.length]);
    if (this.isPartial(row)) for (const [start, end] of row.kept) lit.push([unitsAt(text, Math.max(0, start - row.start)), unitsAt(text, end - row.start)]);
    for (const [start, end] of [...special, ...found, ...lit]) { cuts.add(Math.min(start, text.length)); cuts.add(Math.min(end, text.length)); }
    const places = [...cuts].sort((one, other) => one - other), holder = el("span", { class: "what", dir: "ltr" });
    const inside = (spans, at) => spans.find(([start, end]) => start <= at && at < end);
    for (let place = 0; place + 1 < places.length; place += 1) {
      const start = places[place], odd = inside(special, start);
      let node;
      if (odd) { if (odd[0] !== start) continue; node = el("span", { class: odd[2] }, odd[3]); } else node = document.createTextNode(text.slice(start, places[place + 1]));
      const hit = inside(found, start);
      if (hit) node = el("mark", { class: this.hits[this.hit] === row && hit === found[0] ? "now" : null }, node);
      if (inside(lit, start)) node = el("span", { class: "in" }, node);
      holder.append(node);
    }
    return holder;
  }
  find(words) {
    this.words = words.toLowerCase();
    this.hits = this.words ? this.rows.filter((row) => row.text && row.text.toLowerCase().includes(this.words)).slice(0, 10000) : [];
    this.hit = -1;
    if (this.hits.length) this.next(1);
    else this.list.set(this.visible.length);
    this.drawMap();
  }
  next(step) {
    if (!this.hits.length) return;
    this.hit = (this.hit + step + this.hits.length) % this.hits.length;
    this.reveal(this.rows.indexOf(this.hits[this.hit]));
  }
  reveal(at) {
    const folded = this.visible.find((seen) => seen.fold && !seen.gone && seen.from <= at && at < seen.to);
    if (folded) { this.unfolded.add(folded.rows[0].start); this.fold(); }
    const place = this.visible.findIndex((seen) => (seen.fold ? seen.from <= at && at < seen.to : seen.at === at));
    this.list.set(this.visible.length);
    if (place >= 0) this.list.reveal(place);
  }
  step(way, isWanted) {
    const top = Math.floor((this.box.scrollTop + this.box.clientHeight * 0.4) / 20);
    for (let place = top + way; place >= 0 && place < this.visible.length; place += way) {
      const seen = this.visible[place], before = this.visible[place - 1];
      if (!seen.fold && isWanted(seen.row) && (!before || before.fold || !isWanted(before.row))) { this.list.reveal(place); this.box.scrollTop = Math.max(0, place * 20 - this.box.clientHeight * 0.4); return; }
    }
  }
  drawMap() {
    const total = Math.max(1, this.record.chars), box = (spans) => spans.map(([start, end]) => boxPath(0, (start / total) * 1000, 100, Math.max(2, ((end - start) / total) * 1000))).join("");
    const placed = (this.record.fetched || []).filter((one) => one[0]).map((one) => one[0]);
    const spot = svg("rect", { class: "f-window", x: 0, y: 0, width: 100, height: 0 });
    this.map.replaceChildren(svg("svg", { viewBox: "0 0 100 1000", preserveAspectRatio: "none" }, svg("path", { class: "f-shown", d: box(this.record.kept || []) }), svg("path", { class: "f-fetched", d: box(placed), transform: "scale(.4 1)" }),
      svg("path", { class: "f-bad", d: this.hits.slice(0, 2000).map((row) => boxPath(60, (row.start / total) * 1000, 40, 3)).join("") }), spot));
    this.spot = spot;
    this.frame();
  }
  frame() {
    if (!this.spot || !this.visible.length) return;
    const at = (place) => { const seen = this.visible[Math.max(0, Math.min(this.visible.length - 1, place))]; return seen.fold ? seen.rows[0] : seen.row; };
    const top = Math.floor(this.box.scrollTop / 20), end = Math.min(this.visible.length - 1, top + Math.floor(this.box.clientHeight / 20));
    const last = this.visible[end].fold ? this.visible[end].rows[this.visible[end].rows.length - 1] : this.visible[end].row;
    const total = Math.max(1, this.record.chars), start = (at(top).start / total) * 1000;
    this.spot.setAttribute("y", start);
    this.spot.setAttribute("height", Math.max(6, (last.end / total) * 1000 - start));
  }
  jump(event) {
    const box = this.map.getBoundingClientRect();
    const go = (one) => {
      const wanted = ((one.clientY - box.top) / box.height) * this.record.chars;
      const place = this.visible.findIndex((seen) => (seen.fold ? seen.rows[seen.rows.length - 1].end : seen.row.end) > wanted);
      this.box.scrollTop = Math.max(0, (place < 0 ? this.visible.length : place) * 20 - this.box.clientHeight / 2);
    };
    const stop = () => { removeEventListener("pointermove", go); removeEventListener("pointerup", stop); };
    addEventListener("pointermove", go);
    addEventListener("pointerup", stop);
    go(event);
    event.preventDefault();
  }
}

const callScreen = {
  view: null,
  open(main, argument) {
    const calls = state.calls, index = argument === undefined || argument === "" ? this.firstCut(calls) : Number(argument);
    if (!(index >= 0 && index < calls.size)) {
      main.append(el("p", { class: "empty" }, el("b", {}, "No call to show."), "Choose one on the first screen; cut results are worth a look."));
      return;
    }
    state.picked = index;
    const go = (step, words, key) => el("a", { href: `#call/${index + step}`, class: "chip", title: key }, words);
    const net = calls.net(index), most = Math.max(1, calls.said[index], calls.host[index], calls.shown[index] + calls.fetched[index]);
    main.append(
      el("div", { class: "title" }, el("h1", {}, calls.tool(index)), el("span", {}, marksOf(calls, index)), el("span", { class: "steps" }, index > 0 ? go(-1, "\u2190 earlier", "k") : null, index + 1 < calls.size ? go(1, "later \u2192", "j") : null)),
      el("p", { class: "facts" }, `Call ${number(index + 1)} of ${number(calls.size)}, ${day(calls.at[index])}, ${time(calls.at[index])}, ${calls.outcome(index)}${calls.names.agent[calls.agent[index]] ? `, ${plain(calls.names.agent[calls.agent[index]])}` : ""}`),
      el("dl", { class: "figures" }, [["Tool said", number(calls.said[index])], ["Host alone", calls.host[index] < 0 ? "n/a" : number(calls.host[index])], ["Model saw", number(calls.shown[index])], ["Fetched later", number(calls.fetched[index])], ["Net", net === null ? "n/a" : signed(net), net !== null && net < 0]].map(([name, value, bad]) => el("div", {}, el("dt", {}, name), el("dd", { class: bad ? "bad" : "" }, value)))),
      meter([[calls.shown[index] / most, "f-shown"], [calls.fetched[index] / most, "f-fetched"], [Math.max(0, calls.said[index] - calls.shown[index] - calls.fetched[index]) / most, "f-aside"]], calls.host[index] < 0 ? null : calls.host[index] / most, callWords(calls, index)));
    const artifacts = calls.artifactsOf.get(index) || [];
    const place = el("div");
    main.append(place);
    if (!artifacts.length) {
      place.append(el("p", { class: "empty" }, el("b", {}, calls.isCut(index) ? "Nothing of it was kept." : "The model saw all of it."), calls.isCut(index) ? "`spill doctor --why-not last` says why." : "What passes unchanged is not kept: there is nothing to compare."));
      return;
    }
    this.load(place, artifacts, 0, index);
  },
  firstCut(calls) {
    for (let index = calls.size - 1; index >= 0; index -= 1) if (calls.artifactsOf.has(index) && calls.real[index]) return index;
    return -1;
  },
  async load(place, artifacts, which, index) {
    place.replaceChildren(el("p", { class: "empty", role: "status" }, "Reading\u2026"));
    let record = null, trouble = "";
    try { record = await source.parts(artifacts[which]); } catch (error) { trouble = error.message; }
    if (!place.isConnected) return;
    place.replaceChildren();
    const calls = state.calls, id = `art_${calls.ids[artifacts[which]]}`, show = `spill artifacts show ${id}`;
    if (artifacts.length > 1) place.append(el("div", { class: "bar" }, el("span", { class: "group", role: "group", "aria-label": "Texts of this call" }, artifacts.map((_, number_) => el("button", { type: "button", "aria-pressed": String(number_ === which), on: { click: () => this.load(place, artifacts, number_, index) } }, `Text ${number_ + 1}`)))));
    if (record === null) {
      place.append(el("p", { class: "empty" }, el("b", {}, trouble ? "It could not be read." : "The artifact is gone."), trouble || "It was removed, had to make room, is no text, or its session is over. Its figures stay."));
      return;
    }
    place.append(el("p", { class: "facts" }, record.source ? el("code", {}, plain(record.source)) : null, record.source ? ", " : "", `${record.type}, ${bytes(record.bytes)}, ${many(record.lines, "line")}`, record.limit ? `, budget ${number(record.limit)} characters, strategy ${plain(record.strategy)}` : "", ", ", el("code", {}, show)));
    if (record.kept === undefined) place.append(el("p", { class: "under" }, "It was kept before positions were: what was shown of it is not known."));
    else if (record.kept === null) place.append(el("p", { class: "under" }, "It was shown in too many parts to list them."));
    this.view = new TextView(record, { at: calls.at[index] }, artifacts[which]);
    place.append(this.toolbar(record), el("div", { class: "viewer" }, this.view.box, this.view.map), this.fetches(record, index));
    this.view.list.paint();
    this.view.frame();
  },
  toolbar(record) {
    const view = this.view, count = el("span", { class: "legend", role: "status" });
    const mode = (name, words, style) => el("button", { type: "button", class: style, "aria-pressed": String(view.mode === name), on: { click: (event) => { view.mode = name; view.unfolded.clear(); view.box.classList.toggle("both", name === "both"); view.fold(); for (const one of event.target.parentNode.children) one.setAttribute("aria-pressed", String(one === event.target)); } } }, words);
    const tell = () => { count.textContent = view.words ? (view.hits.length ? `${number(view.hit + 1)} of ${number(view.hits.length)}` : "not found") : ""; };
    const input = el("input", { type: "search", id: "find", placeholder: "Search this text", "aria-label": "Search this text", on: { input: (event) => { view.find(event.target.value); tell(); }, keydown: (event) => { if (event.key === "Enter") { view.next(event.shiftKey ? -1 : 1); tell(); event.preventDefault(); } } } });
    const jump = (step, words, label) => el("button", { type: "button", "aria-label": label, title: label, on: { click: () => { view.next(step); tell(); } } }, words);
    const texts = record.texts.length > 0;
    return el("div", { class: "bar", id: "viewer-bar" }, el("h2", {}, "Tool said, model saw"), legend([["kept", "the model saw"], ["fetched", "fetched later"]]),
      texts ? el("span", { class: "group", role: "group", "aria-label": "What to show" }, mode("saw", "Model saw"), mode("both", "Side by side", "wide-only"), mode("said", "Tool said")) : el("span", { class: "legend" }, state.data.texts ? "its text is not in this file" : "texts are left out: spill report --with-texts"),
      texts ? [input, jump(-1, "\u2191", "Previous match"), jump(1, "\u2193", "Next match"), count] : null);
  },
  fetches(record, index) {
    const calls = state.calls;
    if (!(record.fetched || []).length) return null;
    const rows = record.fetched.map(([place, unit, at, chars, tokens, who]) => el("tr", {}, el("td", {}, `${time(at)}, ${lasting((at - calls.at[index]) / 1000)}`), el("td", {}, place ? `lines ${number(place[2])}\u2013${number(place[3])}` : `by ${unit}`), el("td", { class: "num" }, number(tokens)), el("td", {}, plain(who))));
    return el("section", { class: "panel" }, el("div", { class: "bar" }, el("h2", {}, "Fetched later")), el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, ["When", "What", "Tokens", "By"].map((words, place) => el("th", { scope: "col", class: place === 2 ? "num" : "" }, words)))), el("tbody", {}, rows))));
  },
};
