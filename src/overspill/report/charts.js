/* Pictures drawn by hand: the strip of calls, the running sum, and small bars. A few paths each, however many calls. */

const boxPath = (x, y, width, height) => (height <= 0 ? "" : `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`);

/* Calls from `first` up to `end` as at most `most` bars; each adds up the calls it stands for. */
function bins(calls, first, end, most) {
  const step = Math.max(1, Math.ceil((end - first) / Math.max(1, most)));
  const found = [];
  for (let start = first; start < end; start += step) {
    const bin = { start, end: Math.min(end, start + step), said: 0, shown: 0, fetched: 0, ours: 0, host: 0, known: 0, failed: 0, secrets: 0, rerun: 0, compacted: 0 };
    for (let index = start; index < bin.end; index += 1) {
      bin.said += calls.said[index];
      bin.shown += calls.shown[index] + calls.ours[index];
      bin.fetched += calls.fetched[index];
      if (calls.host[index] >= 0) { bin.host += calls.host[index]; bin.known += 1; }
      for (const mark of ["failed", "secrets", "rerun", "compacted"]) bin[mark] += calls.has(index, mark);
    }
    found.push(bin);
  }
  return found;
}

function scaleOf(most, height, form) {
  const top = Math.max(1, most);
  if (form === "linear") return (value) => (value / top) * height;
  if (form === "root") return (value) => Math.sqrt(Math.max(0, value) / top) * height;
  const span = Math.log10(1 + top);
  return (value) => (Math.log10(1 + Math.max(0, value)) / span) * height;
}

function ticksOf(most, form) {
  if (form === "log") return [10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].filter((tick) => tick < most);
  if (form === "root") return [1, 5, 10, 50, 100, 500, 1e3, 5e3, 1e4].map((tick) => tick * 1e3).filter((tick) => tick < most && tick > most / 60);
  const step = 10 ** Math.floor(Math.log10(Math.max(10, most))) / 2;
  return Array.from({ length: Math.floor(most / step) }, (_, index) => (index + 1) * step).slice(0, 6);
}

const dot = (x, y, radius) => `M${(x - radius).toFixed(1)} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`;
const FOOT = 22; // below the bars: marks

/* The strip: one bar a call, or a few calls where there are more than pixels. */
function drawStrip(calls, width, height, first, end, form, picked) {
  const slim = width < 520;
  const left = slim ? 34 : 44, inside = Math.max(40, width - left - 2);
  const found = bins(calls, first, end, Math.floor(inside / (slim ? 3 : 2.2)));
  const pitch = inside / Math.max(1, found.length), bar = Math.max(1, Math.min(26, pitch * 0.78));
  const tall = height - FOOT - 8;
  const tops = found.map((bin) => Math.max(bin.said, bin.host, bin.shown + bin.fetched)).sort((one, other) => one - other);
  // One giant would make all others invisible: it is cut off, with a notch, and the tip tells its size.
  const usual = tops.length > 20 ? tops[Math.floor(tops.length * 0.98)] : 0, highest = Math.max(1, tops[tops.length - 1] || 1);
  const most = form !== "log" && usual && highest > 3 * usual ? usual * 1.5 : highest;
  const full = scaleOf(most * 1.03, tall, form), base = tall + 8, scale = (value) => Math.min(tall + 6, full(value));
  let notches = "", shown = "", aside = "", fetched = "", host = "", failed = "", secrets = "", rerun = "", compacted = "";
  found.forEach((bin, place) => {
    const x = left + place * pitch + (pitch - bar) / 2;
    const low = scale(bin.shown), mid = scale(bin.shown + bin.fetched), high = Math.max(scale(bin.said), mid);
    shown += boxPath(x, base - low, bar, low);
    fetched += boxPath(x, base - mid, bar, Math.max(mid - low, bin.fetched ? 2 : 0));
    aside += boxPath(x, base - high, bar, high - mid);
    if (bin.known && bin.host > 0 && bin.host !== bin.shown) host += `M${(x - 1).toFixed(1)} ${(base - scale(bin.host)).toFixed(1)}h${(bar + 2).toFixed(1)}`;
    if (high > tall + 5) notches += `M${(x - 1).toFixed(1)} 8l${(bar + 2).toFixed(1)} -3v3l${(-bar - 2).toFixed(1)} 3z`;
    if (bin.failed) failed += boxPath(x, base + 2, bar, 4);
    const centre = x + bar / 2;
    if (bin.secrets) secrets += dot(centre, base + 11, Math.min(2.5, Math.max(1.2, pitch / 2)));
    if (bin.rerun) rerun += dot(centre, base + 18, Math.min(3, Math.max(1, pitch / 2 - .4)));
    if (bin.compacted) compacted += `M${centre.toFixed(1)} 2v${base + 18}`;
  });
  const at = picked >= first && picked < end ? Math.floor(((picked - first) / (end - first)) * found.length + 1e-9) : -1;
  const made = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": `${many(end - first, "call")}: how much each said, how much of it the model saw, and what was fetched later` },
    ticksOf(most, form).map((tick) => [
      svg("path", { class: "s-grid", d: `M${left} ${(base - scale(tick)).toFixed(1)}H${width}` }),
      svg("text", { x: left - 7, y: base - scale(tick) + 4, "text-anchor": "end" }, brief(tick)),
    ]),
    at >= 0 ? svg("rect", { class: "f-pick", x: left + at * pitch - 1, y: 0, width: pitch + 2, height }) : null,
    svg("path", { class: "f-aside", d: aside }), svg("path", { class: "f-shown", d: shown }), svg("path", { class: "f-fetched", d: fetched }),
    svg("path", { class: "f-panel", d: notches }), svg("path", { class: "s-host", d: host }), svg("path", { class: "s-axis", d: `M${left} ${base + .5}H${width}` }),
    svg("path", { class: "f-bad", d: failed }), svg("path", { class: "f-muted", d: secrets }), svg("path", { class: "s-bad", d: rerun }), svg("path", { class: "s-muted", d: compacted }));
  return { made, found, placeAt: (x) => found[Math.max(0, Math.min(found.length - 1, Math.floor((x - left) / pitch)))] };
}

/* All calls at a glance, and the window of them that the strip shows. */
function drawBrush(calls, width, height, first, end, form) {
  const found = bins(calls, 0, calls.size, Math.floor(width / 3));
  const pitch = width / Math.max(1, found.length);
  const most = Math.max(1, ...found.map((bin) => Math.max(bin.said, bin.shown)));
  const scale = scaleOf(most, height - 2, form);
  let shown = "", aside = "";
  found.forEach((bin, place) => {
    const low = scale(bin.shown + bin.fetched), high = Math.max(low, scale(bin.said));
    shown += boxPath(place * pitch, height - low, Math.max(1, pitch - 1), low);
    aside += boxPath(place * pitch, height - high, Math.max(1, pitch - 1), high - low);
  });
  const x = (first / calls.size) * width, wide = Math.max(6, ((end - first) / calls.size) * width);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" },
    svg("path", { class: "f-aside", d: aside }), svg("path", { class: "f-shown", d: shown }),
    svg("rect", { class: "f-window", x, y: 0, width: wide, height }), svg("path", { class: "s-window", d: `M${x} 0v${height}M${x + wide} 0v${height}` }));
}

/* Curves over the calls: [{values, style}], cumulated already, with at most a point a pixel. */
function drawCurves(width, height, curves, labels, describe) {
  const left = 48, inside = Math.max(40, width - left - 6), tall = height - 22;
  const low = Math.min(0, ...curves.map((one) => one.low)), high = Math.max(1, ...curves.map((one) => one.high));
  const y = (value) => 6 + tall - ((value - low) / (high - low)) * tall;
  const step = 10 ** Math.floor(Math.log10(Math.max(10, high - low)));
  const unit = (high - low) / step > 5 ? step * 2 : (high - low) / step > 2.5 ? step : step / 2;
  const ticks = [];
  for (let tick = Math.ceil(low / unit) * unit; tick <= high; tick += unit) ticks.push(tick);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": describe },
    ticks.map((tick) => [svg("path", { class: tick === 0 ? "s-axis" : "s-grid", d: `M${left} ${y(tick).toFixed(1)}H${width}` }), svg("text", { x: left - 7, y: y(tick) + 4, "text-anchor": "end" }, brief(Math.abs(tick) < 1e-9 ? 0 : tick))]),
    curves.map((one) => {
      const points = one.values.length, jump = Math.max(1, Math.floor(points / inside));
      let path = "";
      for (let index = 0; index < points; index += jump) path += `${path ? "L" : "M"}${(left + (index / Math.max(1, points - 1)) * inside).toFixed(1)} ${y(one.values[index]).toFixed(1)}`;
      if (points) path += `L${(left + inside).toFixed(1)} ${y(one.values[points - 1]).toFixed(1)}`;
      const area = one.area ? `${path}L${left + inside} ${y(0).toFixed(1)}L${left} ${y(0).toFixed(1)}z` : "";
      return [area ? svg("path", { class: one.area, d: area }) : null, svg("path", { class: one.style, d: path })];
    }),
    labels.map(([place, words, anchor]) => svg("text", { x: left + place * inside, y: height - 2, "text-anchor": anchor }, words)));
}

function curve(values, style, area) {
  let low = 0, high = 0;
  for (const value of values) { if (value < low) low = value; if (value > high) high = value; }
  return { values, style, area, low, high };
}

/* One bar in parts: [[share, class]], and a tick. */
function meter(parts, tick, label) {
  let x = 0;
  return el("div", { class: "meter", role: "img", "aria-label": label },
    svg("svg", { viewBox: "0 0 1000 8", preserveAspectRatio: "none" },
      parts.map(([share, style]) => { const made = svg("rect", { class: style, x: x * 1000, y: 0, width: Math.max(share > 0 ? 2 : 0, share * 1000), height: 8 }); x += share; return made; }),
      tick === null || tick === undefined ? null : svg("rect", { fill: "currentColor", x: Math.min(997, tick * 1000), y: 0, width: 3, height: 8 })));
}

/* Draws again whenever the width of its place changes. */
function sized(holder, draw) {
  let last = 0;
  const paint = () => { const width = Math.floor(holder.clientWidth); if (width > 0) { last = width; draw(width); } };
  new ResizeObserver(() => { if (Math.floor(holder.clientWidth) !== last) paint(); }).observe(holder);
  return paint;
}
