// Simulated points on a learning curve: a few places, one after the other, with progress and an end at any time.

import { askOnce } from "./api.js";
import { el } from "./dom.js";

const PLACES = 5;

/** The points of the curve that is shown, and the buttons that make them. */
export class Simulation {
  constructor(changed) {
    this.changed = changed;
    this.points = [];
    this.running = null;
    this.of = "";
    this.start = el("button", { type: "button", id: "simulate", onclick: () => this.#run() }, "add simulated points");
    this.cancel = el("button", { type: "button", id: "cancel-simulation", hidden: true, onclick: () => this.#end("ended") }, "end");
    this.bar = el("progress", { max: PLACES, value: 0, hidden: true, "aria-label": "simulated points" });
    this.note = el("span", { id: "simulation-note", role: "status" });
    this.element = el("div", { class: "exports" }, this.start, this.cancel, this.bar, this.note);
  }

  /** The curve that is shown now: points of another one are taken away. */
  follow(found, endpoints) {
    const accepted = endpoints.find((one) => one.path === `/api/points/${found.model}`)?.parameters.map((one) => one.name);
    this.element.hidden = !accepted;
    const parameters = Object.fromEntries(Object.entries(found.parameters).filter(([name]) => accepted?.includes(name)));
    const of = JSON.stringify([found.model, parameters]);
    this.question = [`points/${found.model}`, parameters];
    this.curves = Object.keys(found.curves);
    this.places = spread(found.abscissa);
    if (of === this.of) return;
    this.of = of;
    this.points = [];
    this.#end("");
  }

  async #run() {
    this.#end("");
    this.points = [];
    const run = new AbortController();
    this.running = run;
    this.start.hidden = true;
    for (const one of [this.cancel, this.bar]) one.hidden = false;
    const [path, parameters] = this.question;
    for (const [k, alpha] of this.places.entries()) {
      this.bar.value = k;
      this.note.textContent = `network ${k + 1} of ${this.places.length}`;
      const reply = await askOnce(path, { ...parameters, alpha }, run.signal);
      if (this.running !== run || !reply) return;
      if (!reply.ok) {
        this.#end(reply.document.error);
        return;
      }
      const found = Object.entries(reply.document.points);
      this.points.push(...found.map(([name, { mean, stderr }]) => ({ x: alpha, name, curve: this.curves.indexOf(name), mean, stderr })));
      const { d, seeds } = reply.document.parameters;
      const ridge = reply.document.ridge === null ? "" : ", each at the best ridge of the curve";
      this.size = `points: dimension ${d}, ${seeds} seeds, two standard errors${ridge}`;
      this.changed();
    }
    this.#end(this.size);
  }

  #end(text) {
    this.running?.abort();
    this.running = null;
    this.start.hidden = false;
    for (const one of [this.cancel, this.bar]) one.hidden = true;
    this.note.textContent = text;
  }
}

/** A few round places between the ends. */
function spread({ values, logarithmic }) {
  const [low, high] = [Math.max(values[0], 0.3), values.at(-1)];
  const between = (k) => (logarithmic ? low * (high / low) ** (k / (PLACES - 1)) : low + ((high - low) * k) / (PLACES - 1));
  return [...new Set(Array.from({ length: PLACES }, (_, k) => Number(between(k).toPrecision(2))))];
}
