// Line plots and bars as SVG, without a library.

import { digits, el, svg, superscript } from "./dom.js";
import { extent, scale } from "./scales.js";

const LEFT = 58;
const RIGHT = 14;
const TOP = 14;
const BOTTOM = 44;

/** A place of the page that holds a line plot; draw(data) as often as one likes. */
export class LinePlot {
  constructor(title) {
    this.title = title;
    this.canvas = el("div");
    this.legend = el("div", { class: "legend" });
    this.element = el("div", { class: "plot" }, this.canvas, this.legend);
    this.cursor = null;
    new ResizeObserver(() => this.data && this.#draw()).observe(this.canvas);
  }

  /**
   * data: {x, curves: [{name, label, help, values}], levels: [{label, help, value}], marks: [{at, label}],
   * pinned: [{label, x, values}], xlabel, ylabel, logx, logy}
   */
  draw(data) {
    this.data = data;
    this.#draw();
  }

  #draw() {
    const { x, curves, levels = [], marks = [], pinned = [], points = [], logx, logy } = this.data;
    const width = Math.max(280, Math.round(this.canvas.clientWidth) || 760);
    const height = Math.round(Math.min(380, Math.max(250, width * 0.46)));
    const all = [...curves.flatMap((c) => c.values), ...levels.map((level) => level.value), ...pinned.flatMap((one) => one.values), ...points.map((one) => one.mean)];
    const [low, high] = extent(all.map(Number), logy);
    this.xs = scale(x[0], x.at(-1), LEFT, width - RIGHT, logx, width < 500 ? 4 : 7);
    this.ys = scale(low, high, height - BOTTOM, TOP, logy, 5);
    const picture = svg("svg", {
      viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: 0, "aria-label": this.#described(),
    });
    picture.append(...axes(this.xs, this.ys, width, height, this.data));
    for (const level of levels) {
      if (!Number.isFinite(level.value) || (logy && level.value <= 0)) continue;
      const y = this.ys.place(level.value);
      picture.append(svg("line", { class: "level", x1: LEFT, x2: width - RIGHT, y1: y, y2: y }));
    }
    for (const [k, mark] of marks.filter(({ at }) => at >= x[0] && at <= x.at(-1)).entries()) {
      const place = this.xs.place(mark.at);
      const title = svg("title", {}, `${mark.label}: ${digits(mark.at)}`);
      picture.append(svg("line", { class: "mark", x1: place, x2: place, y1: TOP, y2: height - BOTTOM }, title));
      const end = place > width - 110;
      const at = { x: place + (end ? -5 : 5), y: TOP + 11 + 15 * k, "text-anchor": end ? "end" : "start" };
      picture.append(svg("text", at, mark.label));
    }
    for (const one of pinned) {
      const [px, py] = inside(one, x[0], x.at(-1));
      picture.append(svg("path", { class: "curve pinned", d: this.#path(px, py, logy) }, svg("title", {}, one.label)));
    }
    curves.forEach((curve, k) => {
      picture.append(svg("path", { class: `curve curve-${k}`, d: this.#path(x, curve.values, logy) }));
    });
    for (const one of points) picture.append(...simulated(one, this.xs, this.ys, logy));
    this.pointer = svg("g");
    picture.append(this.pointer);
    this.#listen(picture, width);
    const focused = this.canvas.contains(document.activeElement);
    this.canvas.replaceChildren(picture);
    if (focused) picture.focus();
    this.size = { width, height };
    this.#point();
  }

  #described() {
    const names = this.data.curves.map((curve) => curve.label).join(", ");
    return `${this.title}: ${names} against ${this.data.xlabel}; arrow keys read values`;
  }

  #path(x, values, logy) {
    let path = "";
    let drawing = false;
    values.forEach((y, j) => {
      const seen = Number.isFinite(y) && (!logy || y > 0);
      if (seen) path += `${drawing ? "L" : "M"}${this.xs.place(x[j]).toFixed(1)} ${this.ys.place(y).toFixed(1)}`;
      drawing = seen;
    });
    return path;
  }

  #listen(picture, width) {
    const { x } = this.data;
    picture.addEventListener("pointermove", (event) => {
      const box = picture.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * width;
      const distances = x.map((value) => Math.abs(this.xs.place(value) - at));
      this.cursor = distances.indexOf(Math.min(...distances));
      this.#point();
    });
    picture.addEventListener("pointerleave", () => {
      this.cursor = null;
      this.#point();
    });
    picture.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.cursor = Math.max(0, Math.min(x.length - 1, (this.cursor ?? Math.floor(x.length / 2)) + step));
      this.#point();
    });
  }

  #point() {
    const { x, curves, levels = [], pinned = [], xlabel, logy } = this.data;
    const at = this.cursor === null ? null : Math.min(this.cursor, x.length - 1);
    const drawn = [];
    if (at !== null) {
      const place = this.xs.place(x[at]);
      drawn.push(svg("line", { class: "cursor", x1: place, x2: place, y1: TOP, y2: this.size.height - BOTTOM }));
      curves.forEach((curve, k) => {
        const y = curve.values[at];
        if (Number.isFinite(y) && (!logy || y > 0)) {
          drawn.push(svg("circle", { class: `fill-${k}`, cx: place, cy: this.ys.place(y), r: 4 }));
        }
      });
    }
    this.pointer.replaceChildren(...drawn);
    const keys = curves.map((curve, k) => key(`curve curve-${k}`, curve, at === null ? null : curve.values[at]));
    keys.push(...levels.filter((level) => Number.isFinite(level.value)).map((level) => key("level", level, level.value)));
    keys.push(...pinned.map((one) => key("curve pinned", { label: one.label }, null)));
    if (at !== null) keys.unshift(el("span", { class: "key" }, `${xlabel.split(" ")[0]} = `, el("output", {}, digits(x[at]))));
    this.legend.replaceChildren(...keys);
  }
}

/** A point with two standard errors to both sides. */
function simulated({ x, curve, mean, stderr, name }, xs, ys, logy) {
  const least = logy ? mean / 10 : -Infinity;
  if (!Number.isFinite(mean) || (logy && mean <= 0)) return [];
  const [at, y] = [xs.place(x), ys.place(mean)];
  const [low, high] = [mean - 2 * stderr, mean + 2 * stderr].map((end) => ys.place(Math.max(end, least)));
  const text = svg("title", {}, `${name} of networks at ${digits(x)}: ${digits(mean)} ± ${digits(2 * stderr)}`);
  return [
    svg("line", { class: `curve curve-${curve} thin`, x1: at, x2: at, y1: low, y2: high }),
    svg("circle", { class: `fill-${curve} simulated`, cx: at, cy: y, r: 4 }, text),
  ];
}

/** The part of a pinned curve that lies in the range shown. */
function inside({ x, values }, from, to) {
  const kept = x.map((at, k) => [at, values[k]]).filter(([at]) => at >= from && at <= to);
  return [kept.map(([at]) => at), kept.map(([, y]) => y)];
}

function key(look, { label, help }, value) {
  const sample = svg("svg", { viewBox: "0 0 26 8", "aria-hidden": "true" });
  sample.append(svg("line", { class: look, x1: 1, x2: 25, y1: 4, y2: 4 }));
  const name = help ? el("button", { type: "button", class: "term", "data-tip": help }, label) : label;
  return el("span", { class: "key" }, sample, name, value === null ? null : el("output", {}, digits(value)));
}

function axes(xs, ys, width, height, { xlabel, ylabel, logx, logy }) {
  const drawn = [];
  for (const x of xs.ticks) {
    const place = xs.place(x);
    drawn.push(svg("line", { class: "grid", x1: place, x2: place, y1: TOP, y2: height - BOTTOM }));
    drawn.push(svg("text", { x: place, y: height - BOTTOM + 17, "text-anchor": "middle" }, tick(x, logx)));
  }
  for (const y of ys.ticks) {
    const place = ys.place(y);
    drawn.push(svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: place, y2: place }));
    drawn.push(svg("text", { x: LEFT - 8, y: place + 4, "text-anchor": "end" }, tick(y, logy)));
  }
  drawn.push(svg("path", { class: "frame", d: `M${LEFT} ${TOP}V${height - BOTTOM}H${width - RIGHT}` }));
  const middle = (LEFT + width - RIGHT) / 2;
  drawn.push(svg("text", { class: "axis-label", x: middle, y: height - 6, "text-anchor": "middle" }, xlabel));
  const turned = `translate(13 ${(TOP + height - BOTTOM) / 2}) rotate(-90)`;
  drawn.push(svg("text", { class: "axis-label", transform: turned, "text-anchor": "middle" }, ylabel));
  return drawn;
}

function tick(value, logarithmic) {
  const power = Math.log10(Math.abs(value));
  if (logarithmic && Number.isInteger(Math.round(power * 1e9) / 1e9) && Math.abs(power) > 3) {
    return `10${superscript(Math.round(power))}`;
  }
  return digits(Number(value.toPrecision(10)), 4);
}

/** Bars over degrees: [{degree, share, text, tip, loose}], and the rest that no bar shows. */
export function bars(entries, rest) {
  const width = 520;
  const height = 230;
  const count = entries.length + (rest ? 1 : 0);
  const slot = (width - 46 - 8) / count;
  const top = Math.max(...entries.map((entry) => entry.share), rest?.share ?? 0, 1e-9);
  const ys = scale(0, Math.min(1.12 * top, 1.1), height - 40, 12, false, 4);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "share of each degree" });
  for (const y of ys.ticks) {
    const place = ys.place(y);
    picture.append(svg("line", { class: "grid", x1: 46, x2: width - 8, y1: place, y2: place }));
    picture.append(svg("text", { x: 40, y: place + 4, "text-anchor": "end" }, `${digits(100 * y, 3)}%`));
  }
  const all = rest ? [...entries, { ...rest, tail: true }] : entries;
  all.forEach((entry, k) => picture.append(...bar(entry, 46 + k * slot, slot, ys, height)));
  picture.append(svg("path", { class: "frame", d: `M46 12V${height - 40}H${width - 8}` }));
  picture.append(svg("text", { class: "axis-label", x: (46 + width) / 2, y: height - 4, "text-anchor": "middle" }, "degree"));
  return picture;
}

function bar(entry, left, slot, ys, height) {
  const drawn = [];
  const middle = left + slot / 2;
  const base = ys.place(0);
  if (Number.isFinite(entry.share)) {
    const y = ys.place(entry.share);
    const tall = Math.max(base - y, entry.zero ? 0 : 1.5);
    const look = `bar${entry.tail ? " tail" : ""}${entry.loose ? " loose" : ""}`;
    const shape = { class: look, x: left + 0.18 * slot, width: 0.64 * slot, y: base - tall, height: tall, rx: 2 };
    drawn.push(svg("rect", shape, svg("title", {}, entry.tip)));
    if (!entry.zero) drawn.push(svg("text", { class: "value", x: middle, y: base - tall - 5 }, entry.text));
  } else drawn.push(svg("text", { class: "value", x: middle, y: base - 6 }, "?", svg("title", {}, entry.tip)));
  drawn.push(svg("text", { x: middle, y: height - 22, "text-anchor": "middle" }, entry.tail ? "more" : entry.degree));
  return drawn;
}
