/* The first screen: what it came to in one sentence, the strip, and every call. */

const LEGEND = [["shown", "the model saw"], ["aside", "kept aside"], ["fetched", "fetched later"], ["host", "the host alone would have shown"], ["failed", "failed"], ["secrets", "secrets hidden"], ["rerun", "run again"]];
const legend = (rows) => el("div", { class: "legend" }, rows.map(([name, words]) => el("span", {}, el("i", { class: name }), words)));

function leadSentence(total) {
  if (!total.calls) return null;
  const lead = el("p", { class: "lead" }, "Tools said ", el("b", {}, number(total.said)), " tokens in ", many(total.calls, "call"), "; the model saw ", el("b", { class: "shown" }, number(total.shown)));
  if (total.fetched) lead.append(" and fetched ", el("b", { class: "fetched" }, number(total.fetched)), total.rerun ? " later, or by running a command again" : " later");
  lead.append(".");
  return lead;
}

function hostSentence(total, calls) {
  const real = total.calls;
  const known = every(calls).filter((index) => calls.real[index] && calls.host[index] >= 0).length;
  if (!known) return el("p", { class: "under" }, "What the host alone would have shown is not known for these calls, so no saving is claimed: n/a.");
  const words = el("p", { class: "under" }, `By itself the host would have shown ${number(total.host)} tokens of the ${known === real ? "same" : number(known)} calls${known === real ? "" : " whose host is known"}. Net of views, fetches, reruns and our own descriptions: `);
  words.append(el("b", { class: total.net < 0 ? "bad" : "" }, `${signed(total.net)} tokens`), total.net < 0 ? ", so it cost more than it spared." : " spared.");
  return words;
}

function figureList(total) {
  const share = total.said ? `${((100 * total.shown) / total.said).toFixed(1)} % of it` : "";
  const cell = (name, value, more, style) => el("div", {}, el("dt", {}, name), el("dd", { class: style || "" }, value, more ? el("small", {}, more) : null));
  return el("dl", { class: "figures" },
    cell("Tool said", number(total.said), many(total.calls, "call")),
    cell("Host alone", total.known ? number(total.host) : "n/a", total.hostless ? `n/a for ${number(total.hostless)}` : "all known"),
    cell("Model saw", number(total.shown), share),
    cell("Fetched later", number(total.fetched), total.rerun ? `${number(total.rerun)} run again` : "none run again"),
    cell("Ours", number(total.ours), "descriptions of our tools"),
    cell("Net", total.known ? signed(total.net) : "n/a", total.known ? "against the host, tokens" : "no host known", total.known && total.net < 0 ? "bad" : ""));
}

const session = {
  open(main) {
    const calls = state.calls;
    if (!calls.size) {
      main.append(el("p", { class: "empty" }, el("b", {}, "Nothing is logged yet."), "Fit a result, with `spill fit`, `spill run` or an agent that is set up by `spill init`, and it stands here."));
      return;
    }
    const total = sums(calls, every(calls));
    main.append(leadSentence(total) || "", hostSentence(total, calls), figureList(total));
    if (state.window[1] === 0 || state.window[1] > calls.size) state.window = [Math.max(0, calls.size - 2000), calls.size];
    main.append(this.stripPanel(calls), this.sumPanel(calls), this.listPanel(calls));
    this.paint();
    this.list.paint();
  },
  stripPanel(calls) {
    this.holder = el("div", { class: "strip", tabindex: "0", role: "group", "aria-label": "Calls from left to right. Left and right choose one, Enter opens it, plus and minus zoom.", on: {
      mousemove: (event) => this.hover(event), mouseleave: () => tip.hide(), click: (event) => this.click(event), keydown: (event) => this.key(event) } });
    this.brush = el("div", { class: "brush", "aria-hidden": "true", on: { pointerdown: (event) => this.drag(event) } });
    const scale = (form, words) => el("button", { type: "button", "aria-pressed": String(state.scale === form), on: { click: (event) => { state.scale = form; for (const one of event.target.parentNode.children) one.setAttribute("aria-pressed", String(one === event.target)); this.paint(); } } }, words);
    this.range = el("span", { class: "legend" });
    this.paint = sized(this.holder, (width) => this.draw(width));
    return el("section", { class: "panel", "aria-label": "Session strip" },
      el("div", { class: "bar" }, el("h2", {}, "Session, call by call"), this.range, el("span", { class: "group", role: "group", "aria-label": "Scale" }, scale("linear", "Linear"), scale("root", "Root"), scale("log", "Log")),
        el("button", { type: "button", on: { click: () => this.zoom(0.5) }, "aria-label": "Zoom in" }, "+"), el("button", { type: "button", on: { click: () => this.zoom(2) }, "aria-label": "Zoom out" }, "\u2212"),
        el("button", { type: "button", on: { click: () => this.show(0, calls.size) } }, "All")),
      this.holder, this.brush, el("div", { class: "bar", id: "strip-legend" }, legend(calls.marks.some((marks) => marks & 8) ? [...LEGEND, ["compacted", "compaction"]] : LEGEND)));
  },
  draw(width) {
    const calls = state.calls, [first, end] = state.window;
    this.picture = drawStrip(calls, width, width < 520 ? 170 : 232, first, end, state.scale, state.picked);
    this.holder.replaceChildren(this.picture.made);
    this.brush.hidden = end - first >= calls.size && calls.size < 400;
    this.brush.replaceChildren(drawBrush(calls, width, 34, first, end, state.scale));
    const each = this.picture.found.length ? this.picture.found[0].end - this.picture.found[0].start : 1;
    this.range.textContent = `${number(first + 1)}\u2013${number(end)} of ${number(calls.size)}${each > 1 ? `, ${number(each)} calls a bar` : ""}`;
  },
  show(first, end) {
    const size = state.calls.size, wide = Math.min(size, Math.max(8, Math.round(end - first)));
    const start = Math.max(0, Math.min(size - wide, Math.round(first)));
    state.window = [start, start + wide];
    this.paint();
  },
  zoom(factor) {
    const [first, end] = state.window, middle = state.picked >= first && state.picked < end ? state.picked : (first + end) / 2;
    this.show(middle - ((end - first) * factor) / 2, middle + ((end - first) * factor) / 2);
  },
  binAt(event) { return this.picture.placeAt(event.clientX - this.holder.getBoundingClientRect().left); },
  hover(event) {
    const bin = this.binAt(event), calls = state.calls;
    if (!bin) return;
    const one = bin.end - bin.start === 1, title = one ? calls.tool(bin.start) : `${many(bin.end - bin.start, "call")}`;
    const rows = [["tool said", bin.said], ["model saw", bin.shown], ["fetched later", bin.fetched]].filter(([name, value]) => value || name !== "fetched later").map(([name, value]) => [el("dt", {}, name), el("dd", {}, number(value))]);
    rows.push([el("dt", {}, "host alone"), el("dd", {}, bin.known ? number(bin.host) : "n/a")]);
    const marks = ["failed", "secrets", "rerun", "compacted"].filter((mark) => bin[mark]).map((mark) => (one ? { failed: "failed", secrets: "secrets hidden", rerun: "run again", compacted: "the context was compacted" }[mark] : `${bin[mark]} ${mark}`));
    tip.show(event.clientX, event.clientY, el("b", {}, title), el("div", {}, `${day(calls.at[bin.start])}, ${time(calls.at[bin.start])}${one ? `, ${calls.outcome(bin.start)}` : ""}`), el("dl", {}, rows), marks.length ? el("div", {}, marks.join(", ")) : "");
  },
  click(event) {
    const bin = this.binAt(event);
    if (!bin) return;
    tip.hide();
    if (bin.end - bin.start === 1) { location.hash = `#call/${bin.start}`; return; }
    const wide = Math.max(60, (bin.end - bin.start) * 6), middle = (bin.start + bin.end) / 2;
    state.picked = bin.start;
    this.show(middle - wide / 2, middle + wide / 2);
  },
  key(event) {
    const calls = state.calls, [first, end] = state.window;
    const moves = { ArrowRight: 1, ArrowLeft: -1, PageDown: 20, PageUp: -20 };
    if (event.key in moves) this.pick(state.picked < 0 ? (moves[event.key] > 0 ? first : end - 1) : state.picked + moves[event.key]);
    else if (event.key === "Home") this.pick(0);
    else if (event.key === "End") this.pick(calls.size - 1);
    else if (event.key === "Enter" && state.picked >= 0) location.hash = `#call/${state.picked}`;
    else if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else return;
    event.preventDefault();
  },
  pick(index) {
    const calls = state.calls, [first, end] = state.window, wide = end - first;
    state.picked = Math.max(0, Math.min(calls.size - 1, index));
    if (state.picked < first || state.picked >= end) this.show(state.picked - wide / 2, state.picked + wide / 2);
    else this.paint();
    say(callWords(calls, state.picked));
    this.list.paint();
  },
  drag(event) {
    const box = this.brush.getBoundingClientRect(), size = state.calls.size;
    const at = (one) => Math.max(0, Math.min(1, (one.clientX - box.left) / box.width)) * size;
    const [first, end] = state.window, start = at(event), inside = start >= first && start <= end && end - first < size;
    const move = (one) => {
      if (inside) this.show(first + at(one) - start, end + at(one) - start);
      else if (Math.abs(at(one) - start) > size / 200) this.show(Math.min(start, at(one)), Math.max(start, at(one)));
    };
    const stop = () => { removeEventListener("pointermove", move); removeEventListener("pointerup", stop); };
    addEventListener("pointermove", move);
    addEventListener("pointerup", stop);
    if (!inside) this.show(start - (end - first) / 2, start + (end - first) / 2);
    event.preventDefault();
  },
  sumPanel(calls) {
    const holder = el("div");
    const was = [], alone = [];
    let seen = 0, host = 0, known = 0;
    for (let index = 0; index < calls.size; index += 1) {
      seen += calls.shown[index] + calls.fetched[index] + calls.ours[index];
      host += calls.host[index] >= 0 && !calls.has(index, "rerun") ? calls.host[index] : 0;
      known += calls.host[index] >= 0 && calls.real[index] ? 1 : 0;
      was.push(seen);
      alone.push(host);
    }
    const curves = [curve(was, "s-accent", "f-soft"), ...(known ? [curve(alone, "s-host")] : [])];
    const words = `The sum of what entered the context: ${number(seen)} tokens${known ? `; the host alone: ${number(host)}` : ""}`;
    const paint = sized(holder, (width) => holder.replaceChildren(drawCurves(width, 132, curves, [[0, `${day(calls.at[0])} ${time(calls.at[0])}`, "start"], [1, time(calls.at[calls.size - 1]), "end"]], words)));
    const panel = el("section", { class: "panel", "aria-label": "Running sum" }, el("div", { class: "bar" }, el("h2", {}, "What entered the context, added up"), legend([["shown", "as it was"], ...(known ? [["host", "as the host alone would have had it"]] : [])])), holder);
    requestAnimationFrame(paint);
    return panel;
  },
  listPanel(calls) {
    this.list = callList(calls);
    return this.list.panel;
  },
};

function callWords(calls, index) {
  const net = calls.net(index);
  return `Call ${number(index + 1)} of ${number(calls.size)}: ${calls.tool(index)}, ${calls.outcome(index)}, said ${number(calls.said[index])} tokens, the model saw ${number(calls.shown[index])}${calls.fetched[index] ? `, ${number(calls.fetched[index])} fetched later` : ""}, net ${net === null ? "not known" : signed(net)}`;
}

const ONLY = [["cut", "Cut"], ["fetched", "Fetched"], ["failed", "Failed"], ["secrets", "Secrets"], ["rerun", "Run again"]];

function isChosen(calls, index, only, words) {
  for (const name of only) {
    if (name === "cut" ? !calls.isCut(index) : name === "fetched" ? !calls.fetched[index] : !calls.has(index, name)) return false;
  }
  if (!words) return true;
  if (calls.tool(index).toLowerCase().includes(words) || calls.outcome(index) === words || plain(calls.names.agent[calls.agent[index]]).toLowerCase().includes(words)) return true;
  return (calls.artifactsOf.get(index) || []).some((artifact) => `art_${calls.ids[artifact]}`.startsWith(words)) || calls.command(index).toLowerCase().includes(words);
}

function marksOf(calls, index) {
  const chips = [];
  if (calls.has(index, "failed")) chips.push(el("span", { class: "chip failed" }, "failed"));
  if (calls.has(index, "secrets")) chips.push(el("span", { class: "chip" }, "secrets hidden"));
  if (calls.fetched[index]) chips.push(el("span", { class: "chip fetched" }, "fetched"));
  if (calls.has(index, "rerun")) chips.push(el("span", { class: "chip rerun" }, "run again"));
  return chips;
}

function callList(calls) {
  const scroller = el("div", { class: "scroll", role: "table", tabindex: "0", "aria-label": "Calls", "aria-rowcount": "0" });
  const cell = (style, ...content) => el("span", { role: "cell", class: style }, content);
  const head = (style, words) => el("span", { role: "columnheader", class: style }, words);
  scroller.append(el("div", { role: "rowgroup" }, el("div", { class: "row head", role: "row" }, head("", "Time"), head("", "Tool"), head("w", "Agent"), head("m", "Outcome"), head("num", "Said"), head("num w", "Host"), head("num", "Saw"), head("num w", "Fetched"), head("num m", "Net"), head("m", "Marks"))));
  let shown = [];
  const rows = new Rows(scroller, 30, (place) => {
    const index = shown[place], net = calls.net(index);
    return el("div", { class: `row${index === state.picked ? " picked" : ""}`, role: "row", "aria-rowindex": place + 2, on: { click: () => { location.hash = `#call/${index}`; } } },
      cell("", time(calls.at[index])), cell("", el("a", { href: `#call/${index}` }, calls.tool(index)), calls.command(index) ? el("span", { class: "from" }, calls.command(index)) : null), cell("w", plain(calls.names.agent[calls.agent[index]]) || "\u2013"), cell("m", calls.outcome(index)),
      cell("num", number(calls.said[index])), cell("num w", calls.host[index] < 0 ? "n/a" : number(calls.host[index])), cell("num", number(calls.shown[index])), cell("num w", calls.fetched[index] ? number(calls.fetched[index]) : "\u2013"),
      cell(`num m${net !== null && net < 0 ? " bad" : ""}`, net === null ? "n/a" : signed(net)), cell("m", marksOf(calls, index)));
  });
  const count = el("span", { class: "legend" });
  const choose = () => {
    const words = state.filter.trim().toLowerCase();
    shown = [];
    for (let index = calls.size - 1; index >= 0; index -= 1) if (isChosen(calls, index, state.only, words)) shown.push(index);
    scroller.setAttribute("aria-rowcount", shown.length + 1);
    count.textContent = shown.length === calls.size ? `${number(calls.size)}, newest first` : `${number(shown.length)} of ${number(calls.size)}`;
    none.hidden = shown.length > 0;
    rows.set(shown.length);
  };
  const none = el("p", { class: "empty", hidden: true }, "No call is like that.");
  const input = el("input", { type: "search", id: "find", placeholder: calls.sources ? "Tool, command, agent, art_\u2026" : "Tool, agent, outcome, art_\u2026", "aria-label": "Find calls", value: state.filter, on: { input: (event) => { state.filter = event.target.value; choose(); say(count.textContent); } } });
  const toggles = ONLY.map(([name, words]) => el("button", { type: "button", "aria-pressed": String(state.only.has(name)), on: { click: (event) => { const on = !state.only.has(name); on ? state.only.add(name) : state.only.delete(name); event.currentTarget.setAttribute("aria-pressed", String(on)); choose(); } } }, words));
  const panel = el("section", { class: "panel calls", "aria-label": "All calls" }, el("div", { class: "bar" }, el("h2", {}, "Calls"), count, el("span", { class: "group", role: "group", "aria-label": "Only calls that" }, toggles), input), scroller, none);
  requestAnimationFrame(choose);
  return { panel, paint: () => rows.count && rows.set(rows.count) };
}
