/* Regrets, what to change, whether it was worth it, the house; and the way from one screen to another. */

const table = (names, rows, foot) => el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Table" }, el("table", {},
  el("thead", {}, el("tr", {}, names.map(([words, style]) => el("th", { scope: "col", class: style || "" }, words)))),
  el("tbody", {}, rows.map((cells) => el("tr", {}, cells.map((cell, place) => el("td", { class: `${names[place][1] || ""}${cell && cell.bad ? " bad" : ""}` }, cell && cell.bad !== undefined ? cell.words : cell))))),
  foot ? el("tfoot", {}, el("tr", {}, foot.map((cell, place) => el("td", { class: `${names[place][1] || ""}${cell && cell.bad ? " bad" : ""}` }, cell && cell.bad !== undefined ? cell.words : cell)))) : null));
const panel = (title, ...content) => el("section", { class: "panel", "aria-label": title }, el("div", { class: "bar" }, el("h2", {}, title)), content);
const net = (total) => (total.known ? { words: signed(total.net), bad: total.net < 0 } : "n/a");

const SOON = 600; // seconds after which a fetch is no regret any more
function regretsOf(calls) {
  const soon = calls.fetchList.filter((fetch) => { const after = (fetch[1] - calls.at[calls.callOf[fetch[0]]]) / 1000; return after >= 0 && after <= SOON; });
  const again = every(calls).filter((index) => calls.has(index, "rerun"));
  return { soon, again };
}

/* What left it out: the strategy, the limit, and the setting to change. */
function ruleWords(place, shown) {
  const [strategy, limit, short, path, origin] = (state.data.rules || [])[place] || ["", 0];
  if (!limit) return "\u2013";
  const words = short ? `${plain(strategy)} had said enough after ${number(shown)} tokens; the limit is ${number(limit)} characters` : `${strategy ? `${plain(strategy)}, ` : ""}${number(limit)} characters`;
  return [words, el("span", { class: "rule" }, path ? [el("code", {}, plain(path)), ` (${plain(origin)})`] : "a limit of that call, or of other settings than today\u2019s")];
}

const regrets = {
  open(main) {
    const calls = state.calls, { soon, again } = regretsOf(calls);
    const views = new Set(soon.map((fetch) => fetch[0])).size, cut = every(calls).filter((index) => calls.isCut(index)).length;
    main.append(el("p", { class: "lead" }, el("b", { class: views ? "fetched" : "shown" }, number(views)), ` of ${many(cut, "cut view")} ${views === 1 ? "was" : "were"} fetched within ten minutes, and `, el("b", { class: again.length ? "bad" : "shown" }, many(again.length, "command")), ` ${again.length === 1 ? "was" : "were"} run again.`),
      el("p", { class: "under" }, "A view that left out what was asked for next showed too little, or the wrong lines. A command that is run again unchanged after a cut result is the silent kind of regret. Both are counted against us."));
    const most = 500, named = (call) => [el("a", { href: `#call/${call}` }, calls.tool(call)), calls.command(call) ? [" ", el("code", {}, calls.command(call).slice(0, 120))] : null];
    if (!soon.length && !again.length) { main.append(el("p", { class: "empty" }, el("b", {}, "No regrets."), cut ? "Nothing that was left out was asked for." : "Nothing was cut.")); return; }
    if (soon.length) {
      const rows = soon.slice(-most).reverse().map((fetch) => {
        const [artifact, at, unit, first, last, chars, tokens, who, rule] = fetch, call = calls.callOf[artifact];
        const what = unit === "lines" ? `lines ${number(first)}\u2013${number(last)}` : unit === "bytes" ? `bytes ${number(first)}\u2013${number(last)}` : unit === "all" ? "all of it" : `a ${unit}`;
        return [named(call), `${day(calls.at[call])}, ${time(calls.at[call])}`, ruleWords(rule, calls.shown[call]), lasting((at - calls.at[call]) / 1000), what, number(chars), number(tokens), number(calls.shown[call]), plain(who)];
      });
      main.append(panel(`Cut, then fetched${soon.length > most ? ` (the last ${most})` : ""}`, table([["Tool"], ["Shown"], ["Cut by"], ["When"], ["What was fetched"], ["Characters", "num"], ["Tokens", "num"], ["View", "num"], ["By"]], rows)));
    }
    if (again.length) {
      const rows = again.slice(-most).reverse().map((index) => [named(index), `${day(calls.at[index])}, ${time(calls.at[index])}`, calls.outcome(index), number(calls.said[index]), number(calls.shown[index])]);
      main.append(panel("Run again within ten minutes of a cut result", table([["Tool"], ["When"], ["Outcome"], ["Said", "num"], ["View", "num"]], rows)));
    }
  },
};

const change = {
  async open(main) {
    const place = el("div", {}, el("p", { class: "empty", role: "status" }, "Replaying what was kept\u2026"));
    main.append(el("p", { class: "lead" }, "What to change"), el("p", { class: "under" }, "What was kept is fitted again with other limits. A regret is gone when all that was fetched is in the new view. Nothing is written: copy what you like into .agent/config.yml."), place);
    let found = [];
    try { found = await source.changes(); } catch (error) { place.replaceChildren(el("p", { class: "empty" }, el("b", {}, "It could not be computed."), error.message)); return; }
    if (!place.isConnected) return;
    if (!found.length) { place.replaceChildren(el("p", { class: "empty" }, el("b", {}, "Nothing to change."), "No view was fetched within ten minutes, so no limit is too tight as far as can be seen.")); return; }
    place.replaceChildren(...found.map((one) => this.card(one)));
  },
  card(one) {
    const best = one.best, tool = plain(one.tool);
    const words = best
      ? el("p", { class: "lead" }, `${tool} ${number(one.limit)} \u2192 `, el("b", { class: "shown" }, number(best.limit)), `: ${signed(best.more)} tokens a call, ${number(best.gone)} of ${many(one.placed, "regret")} gone`)
      : el("p", { class: "lead" }, `${tool}: ${one.seen === one.regrets ? "what was fetched had been shown" : `no limit up to 50,000 characters would have spared ${one.placed ? "what was fetched" : "a fetch that can be placed"}`}`);
    const rule = one.rule && one.rule.path ? [" Today\u2019s limit is ", el("code", {}, plain(one.rule.path)), ` (${plain(one.rule.origin)}).`] : [" The limit was that of the calls, or of other settings than today\u2019s."];
    const lost = one.regrets - one.placed - one.seen, seen = one.seen ? ` Of ${number(one.seen)} all that was fetched had been shown.` : "";
    const apart = lost > 0 ? `${seen} ${number(lost)} could not be replayed: fetched by a search or a query, no longer kept, too large, or more than are looked at.` : seen;
    const rows = one.outcomes.map((outcome) => [`${number(outcome.limit)}`, meter([[one.placed ? outcome.gone / one.placed : 0, "f-shown"]], null, `${outcome.gone} of ${one.placed}`), `${number(outcome.gone)} of ${number(one.placed)}`, `${signed(outcome.more)}`]);
    const yaml = best ? el("div", {}, el("div", { class: "copy" }, el("span", {}, ".agent/config.yml"), this.copyButton(one.yaml)), el("pre", { class: "yaml", tabindex: "0" }, el("code", {}, one.yaml))) : el("p", { class: "under" }, one.seen === one.regrets ? "Another limit would change nothing." : "What was fetched is more than a limit should hold: a narrower call, or a focus, would help more.");
    return el("section", { class: "panel change", "aria-label": tool }, el("div", {}, words, el("p", { class: "under" }, `${many(one.calls, "call")}, ${number(one.cut)} cut, ${many(one.regrets, "regret")}; ${number(one.replayed)} results were fitted again.${apart}`, rule)), yaml,
      rows.length ? el("div", { class: "full" }, table([["Limit", "num"], ["Regrets gone"], ["Of those replayed", "num"], ["Tokens a call", "num"]], rows)) : null);
  },
  copyButton(text) {
    return el("button", { type: "button", on: { click: async (event) => {
      const button = event.currentTarget;
      try { await navigator.clipboard.writeText(text); } catch {
        const area = el("textarea", { "aria-hidden": "true", class: "hidden" });
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
      }
      button.textContent = "Copied";
      say("Copied");
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    } } }, "Copy");
  },
};

const BY = [["tool", "Tool"], ["day", "Day"], ["agent", "Agent"], ["session", "Session"]];
const worth = {
  open(main) {
    const calls = state.calls, all = every(calls), total = sums(calls, all);
    if (!total.calls) { main.append(el("p", { class: "empty" }, el("b", {}, "Nothing to judge yet."), "No call is logged.")); return; }
    const verdict = total.known
      ? el("p", { class: "lead" }, total.net < 0 ? "It cost " : "It spared ", el("b", { class: total.net < 0 ? "bad" : "shown" }, number(Math.abs(total.net))), ` tokens against what the host alone would have shown.`)
      : el("p", { class: "lead" }, "What the host alone would have shown is ", el("b", {}, "not known"), ": no saving is claimed.");
    main.append(verdict, el("p", { class: "under" }, "Net = host alone \u2212 model saw \u2212 fetched later \u2212 ours, over the calls whose host is known. A command run again within ten minutes of a cut result spared nothing: all of its view is booked as fetched. What is n/a is never counted as a saving. Steps, time and prompt caches are not counted."), figureList(total), this.curvePanel(calls, all, total), this.tablePanel(calls));
  },
  curvePanel(calls, all, total) {
    if (!total.known) return null;
    const holder = el("div"), values = [];
    let sum = 0;
    for (const index of all) { sum += calls.net(index) || 0; values.push(sum); }
    const style = total.net < 0 ? ["s-bad", "f-badsoft"] : ["s-accent", "f-soft"];
    const paint = sized(holder, (width) => holder.replaceChildren(drawCurves(width, 190, [curve(values, ...style)], [[0, day(calls.at[0]), "start"], [1, day(calls.at[calls.size - 1]), "end"]], `Net tokens, added up: ${signed(total.net)} at the end`)));
    requestAnimationFrame(paint);
    return panel("Net against the host, added up", holder);
  },
  tablePanel(calls) {
    const place = el("div"), groups = new Map();
    const key = (index) => (state.by === "day" ? day(calls.at[index]) : state.by === "tool" ? calls.tool(index) : plain(calls.names[state.by][calls[state.by][index]]) || "(not known)");
    const draw = () => {
      groups.clear();
      for (const index of every(calls)) { if (calls.has(index, "compacted")) continue; const name = key(index); if (!groups.has(name)) groups.set(name, []); groups.get(name).push(index); }
      const rows = [...groups].map(([name, chosen]) => [name, sums(calls, chosen)]);
      if (state.by !== "day") rows.sort((one, other) => other[1].said - one[1].said);
      const most = Math.max(1, ...rows.map(([, sum]) => sum.said));
      const cells = ([name, sum]) => [name, number(sum.calls), number(sum.said), sum.known ? number(sum.host) : "n/a", number(sum.shown), number(sum.fetched), number(sum.ours), net(sum), meter([[sum.shown / most, "f-shown"], [sum.fetched / most, "f-fetched"], [Math.max(0, sum.said - sum.shown - sum.fetched) / most, "f-aside"]], sum.known ? Math.min(1, sum.host / most) : null, `${name}: ${number(sum.shown)} of ${number(sum.said)} tokens seen`)];
      const total = sums(calls, every(calls));
      place.replaceChildren(table([[BY.find(([name]) => name === state.by)[1]], ["Calls", "num"], ["Tool said", "num"], ["Host alone", "num"], ["Model saw", "num"], ["Fetched", "num"], ["Ours", "num"], ["Net", "num"], ["", ""]].map((one, at) => (at === 8 ? ["Picture"] : one)), rows.slice(0, 200).map(cells), rows.length > 1 ? [...cells(["All", total]).slice(0, 8), ""] : null));
    };
    const choose = el("span", { class: "group", role: "group", "aria-label": "By" }, BY.map(([name, words]) => el("button", { type: "button", "aria-pressed": String(state.by === name), on: { click: (event) => { state.by = name; for (const one of event.target.parentNode.children) one.setAttribute("aria-pressed", String(one === event.target)); draw(); } } }, words)));
    draw();
    return el("section", { class: "panel", "aria-label": "Columns" }, el("div", { class: "bar" }, el("h2", {}, "The columns, in tokens"), choose), place);
  },
};

const house = {
  open(main) {
    const { house: kept } = state.data, held = kept.sessions.reduce((sum, one) => sum + one.bytes, 0), artifacts = kept.sessions.reduce((sum, one) => sum + one.artifacts, 0);
    const wrong = kept.doctor.filter((one) => !one.ok);
    main.append(el("p", { class: "lead" }, el("b", {}, bytes(held)), ` in ${many(artifacts, "artifact")} of ${many(kept.sessions.length, "session")}; `, wrong.length ? el("b", { class: "bad" }, `${many(wrong.length, "thing")} to mend`) : el("b", { class: "shown" }, "everything works"), "."));
    const quota = (name, used, most) => [name, bytes(used), most ? bytes(most) : "no limit", meter([[most ? Math.min(1, used / most) : 0, used > most * 0.9 && most ? "f-bad" : "f-shown"]], null, `${bytes(used)} of ${most ? bytes(most) : "no limit"}`)];
    const biggest = kept.sessions.reduce((most, one) => Math.max(most, one.bytes), 0), rules = kept.redactions, top = rules.length ? rules[0][1] : 1;
    main.append(el("div", { class: "two" }, el("div", {},
      panel("Store and quotas", table([["What"], ["Held", "num"], ["May hold", "num"], ["Share"]], [quota("Largest session", biggest, kept.sessionQuota), quota("This machine", kept.machineBytes, kept.machineQuota)])),
      panel("Secrets hidden, by rule", rules.length ? table([["Rule"], ["Times", "num"], ["Share"]], rules.slice(0, 40).map(([rule, count]) => [plain(rule), number(count), meter([[count / top, "f-shown"]], null, `${count}`)])) : el("p", { class: "empty" }, "None was found.")),
      panel("Sessions", kept.sessions.length ? table([["Session"], ["Artifacts", "num"], ["Held", "num"], ["Last used"], ["State"]], kept.sessions.slice(0, 50).map((one) => [plain(one.name || one.id), number(one.artifacts), bytes(one.bytes), `${day(one.used)}, ${time(one.used)}`, one.alive ? "alive" : "over"])) : el("p", { class: "empty" }, "None is kept."))),
      panel("Doctor", kept.doctor.length ? el("ul", { class: "findings" }, kept.doctor.map((one) => el("li", {}, el("span", {}, el("span", { class: `chip ${one.ok ? "ok" : "wrong"}` }, one.ok ? "ok" : "wrong")), el("span", {}, el("b", {}, plain(one.name)), `: ${plain(one.message)}`), one.fix ? el("code", { class: "fix" }, plain(one.fix)) : null))) : el("p", { class: "empty" }, "Not asked."))));
    if (kept.broken) main.append(el("p", { class: "under" }, `${many(kept.broken, "line")} of the journal could not be read.`));
  },
};

/* Sums that other roots exported, and no names: a root is told by a digest of where it is. */
const fleet = {
  open(main) {
    const { roots, total } = state.data.fleet, read = (one) => ({ ...one, known: one.net_known, hostless: one.unknown, rerun: one.reruns }), all = read(total);
    if (!roots.length) { main.append(el("p", { class: "empty" }, el("b", {}, "No root has exported anything."), "`spill stats --all --export PLACE` does, on each machine.")); return; }
    const verdict = all.known
      ? el("p", { class: "lead" }, `${many(roots.length, "root")}: they `, all.net < 0 ? "cost " : "spared ", el("b", { class: all.net < 0 ? "bad" : "shown" }, number(Math.abs(all.net))), " tokens against what their hosts alone would have shown.")
      : el("p", { class: "lead" }, `${many(roots.length, "root")}: what their hosts alone would have shown is `, el("b", {}, "not known"), ": no saving is claimed.");
    const cells = (name, when, one) => [name, when, number(one.calls), number(one.cut), number(one.said), one.host_known ? number(one.host) : "n/a", number(one.shown), number(one.fetched), number(one.ours), net(one)];
    main.append(verdict, el("p", { class: "under" }, "Sums of `spill stats --export`: numbers and no names. Of several exports of one root the newest counts."), figureList(all), panel("Roots, those that said most first",
      table([["Root"], ["Exported"], ["Calls", "num"], ["Cut", "num"], ["Tool said", "num"], ["Host alone", "num"], ["Model saw", "num"], ["Fetched", "num"], ["Ours", "num"], ["Net", "num"]], roots.slice(0, 500).map((one) => cells(plain(one.source), `${day(one.at)}, ${time(one.at)}`, read(one))), roots.length > 1 ? cells("All", "", all) : null)));
    if (roots.length > 500) main.append(el("p", { class: "under" }, `${number(roots.length - 500)} more roots are in the sum and not in the table.`));
  },
};

const SCREENS = [["session", "Session", session], ["call", "Call", callScreen], ["regrets", "Regrets", regrets], ["change", "What to change", change], ["worth", "Worth it?", worth], ["house", "House", house]];

function route() {
  const [name, argument] = location.hash.slice(1).split("/"), screen = SCREENS.find(([one]) => one === name) || SCREENS[0], main = $("main");
  if (name === "main") return;
  tip.hide();
  callScreen.view = null;
  main.replaceChildren(el("h1", { class: "hidden" }, screen[0] === "call" ? "A call" : screen[1]));
  if (screen[0] === "call") main.replaceChildren();
  for (const link of $("tabs").querySelectorAll("a")) link.getAttribute("href") === `#${screen[0]}` ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  const here = $("tabs").querySelector("[aria-current]"), bar = $("tabs");
  if (here.offsetLeft + here.offsetWidth > bar.scrollLeft + bar.clientWidth || here.offsetLeft < bar.scrollLeft) bar.scrollLeft = here.offsetLeft - 16;
  document.title = `${screen[1]}, what the model saw`;
  screen[2].open(main, argument);
  if (screen[0] === "call" && !main.querySelector("h1")) main.prepend(el("h1", { class: "hidden" }, "A call"));
  scrollTo(0, 0);
}

function begin(data) {
  state.data = data;
  state.calls = new Calls(data.calls);
  if (data.fleet && !SCREENS.some(([name]) => name === "fleet")) SCREENS.push(["fleet", "Fleet", fleet]);
  const { soon, again } = regretsOf(state.calls), count = new Set(soon.map((fetch) => fetch[0])).size + again.length;
  $("tabs").replaceChildren(...SCREENS.map(([name, words], place) => el("li", { id: name }, el("a", { href: `#${name}`, title: `${place + 1}` }, words, name === "regrets" && count ? el("span", { class: "count" }, number(count)) : null))));
  const first = state.calls.size ? state.calls.at[0] : 0;
  $("scope").textContent = [plain(data.project), data.session ? plain((data.house.sessions.find((one) => one.id === data.session) || {}).name || data.session) : "all sessions", first ? `since ${day(first)}` : "", many(state.calls.real.filter(Boolean).length, "call") + (data.calls.leftOut ? ` (${number(data.calls.leftOut)} older left out)` : "")].filter(Boolean).join(" \u00b7 ");
  $("foot").textContent = `overspill ${data.version}, made ${data.made}. ${data.live ? "Live from this machine, to be read only." : data.texts ? "Texts and commands of this session are in this file." : "No text of a tool and no command is in this file."} Nothing is asked of anybody.`;
}

const KEYS = [["1 2 \u2026", "screens"], ["\u2190 \u2192", "choose a call in the strip; Enter opens it"], ["+ \u2212", "zoom the strip"], ["j k", "later and earlier call"], ["n p", "next and previous part that was shown"], ["/", "find"], ["t", "light or dark"], ["Esc", "back"]];
function openKeys() {
  const dialog = $("keys");
  dialog.replaceChildren(el("h2", { id: "keys-title" }, "Keys"), el("table", {}, el("tbody", {}, KEYS.map(([key, words]) => el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, words))))), el("button", { type: "button", on: { click: () => dialog.close() } }, "Close"));
  dialog.showModal();
}

function turnTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches, now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "Escape") { if (typing) event.target.blur(); else if (location.hash.startsWith("#call")) location.hash = "#session"; return; }
  if (typing) return;
  const isCall = location.hash.startsWith("#call");
  if (event.key >= "1" && event.key <= String(SCREENS.length)) { const name = SCREENS[Number(event.key) - 1][0]; location.hash = name === "call" && state.picked >= 0 ? `#call/${state.picked}` : `#${name}`; }
  else if (event.key === "/" && $("find")) $("find").focus();
  else if (event.key === "?") openKeys();
  else if (event.key === "t") turnTheme();
  else if ((event.key === "j" || event.key === "k") && isCall && state.picked >= 0) { const to = state.picked + (event.key === "j" ? 1 : -1); if (to >= 0 && to < state.calls.size) location.hash = `#call/${to}`; }
  else if ((event.key === "n" || event.key === "p") && callScreen.view) callScreen.view.step(event.key === "n" ? 1 : -1, (row) => row.kept.length > 0);
  else return;
  event.preventDefault();
});
addEventListener("hashchange", route);
$("theme").addEventListener("click", turnTheme);
$("help").addEventListener("click", openKeys);

/* Live: the program is asked whether something was logged, and the page drawn anew if so. */
async function follow() {
  const live = $("live");
  live.hidden = false;
  for (let failed = 0; failed < 5; ) {
    try {
      const now = document.hidden ? state.data.state : await source.ask("/api/state");
      failed = 0;
      live.className = "live";
      live.textContent = "live";
      if (now !== state.data.state) {
        const data = await source.ask("/api/data");
        const reading = location.hash.startsWith("#call") || document.activeElement.matches("input");
        begin(data);
        if (!reading) { const at = scrollY; route(); scrollTo(0, at); }
      }
    } catch {
      failed += 1;
      live.className = "live off";
      live.textContent = "the program does not answer";
    }
    await new Promise((done) => { setTimeout(done, 2000 * 2 ** failed); });
  }
  live.textContent = "the program has ended";
}

(async () => {
  let data = block("data");
  if (data.live) {
    $("main").replaceChildren(el("p", { class: "empty", role: "status" }, "Reading\u2026"));
    try { data = await source.ask("/api/data"); } catch (error) { $("main").replaceChildren(el("p", { class: "empty" }, el("b", {}, "The program does not answer."), error.message)); return; }
  }
  begin(data);
  route();
  if (data.live) follow();
})();
