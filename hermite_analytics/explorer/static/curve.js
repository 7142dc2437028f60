// The third section: a model, its sliders, and the learning curve that moves with them.

import { Asker, addressOf, askOnce } from "./api.js";
import { exportRow, saveFile, standalone } from "./dialogs.js";
import { digits, el, say, sourced } from "./dom.js";
import { showError } from "./errors.js";
import { knobGrid } from "./knobs.js";
import { LinePlot } from "./plot.js";
import { Simulation } from "./simulation.js";
import * as state from "./state.js";

const SYMBOLS = { r: "r", c: "c", gamma: "γ" };

/** Ask for the curve of the state, now and whenever something that it depends on changes. */
export function startCurve(about) {
  const models = new Map(about.models.map((model) => [model.name, model]));
  const select = document.getElementById("model");
  const input = document.getElementById("curve_target");
  const error = document.getElementById("curve-error");
  const place = document.getElementById("curve-result");
  const plot = new LinePlot("learning curve");
  const facts = el("div", { class: "facts", id: "curve-facts" });
  const controls = el("div");
  const logarithm = el("input", { type: "checkbox", id: "logy" });
  const scaling = el("label", { class: "facts" }, logarithm, " logarithmic error axis");
  let knobs = null;
  let found = null;
  let comes = false;
  let pinned = [];
  select.append(...about.models.map((model) => el("option", { value: model.name }, model.title)));
  const pin = el("button", { type: "button", id: "pin", onclick: () => keep() }, "pin this curve");
  const unpin = el("button", { type: "button", id: "unpin", hidden: true, onclick: () => keep(true) }, "take the pins away");
  const pdf = el("button", { type: "button", id: "save-pdf", onclick: () => savePdf() }, "save curve.pdf");
  const simulation = new Simulation(() => draw());
  place.append(controls, plot.element, facts, scaling, el("div", { class: "exports" }, pin, unpin, pdf), simulation.element, exportRow([
    ["LaTeX", "curve.tex", () => found?.exports.latex ?? ""],
    ["Python", "curve.py", () => found?.exports.python ?? ""],
    ["command line", "curve.sh", () => `${found?.exports.command ?? ""}\n`],
    ["JSON", "curve.json", () => `${JSON.stringify(found, null, 1)}\n`],
    ["CSV", "curve.csv", () => table(found, pinned, simulation.points)],
    ["SVG", "curve.svg", () => standalone(plot.canvas.querySelector("svg"))],
    ["address of the answer", "address.txt", () => new URL(addressOf(...question()), location.href).href],
  ]));

  const model = () => models.get(state.get("model")) ?? about.models[0];
  const describe = () => {
    const shown = model();
    select.value = shown.name;
    document.getElementById("model-help").replaceChildren(`${shown.help} (`, ...sourced(shown.source), ")");
    const takesTarget = shown.inputs.includes("target");
    document.getElementById("curve-target-entry").hidden = !takesTarget;
    document.getElementById("curve-examples").hidden = !takesTarget;
    knobs = knobGrid([...shown.knobs, ...shown.span]);
    controls.replaceChildren(knobs.element);
  };
  const question = () => {
    const parameters = {};
    for (const name of knobs.names) if (state.get(name) !== undefined) parameters[name] = state.get(name);
    if (model().inputs.includes("activation")) parameters.activation = state.get("activation");
    if (model().inputs.includes("target")) parameters.target = state.get("curve_target");
    return [`curve/${model().name}`, parameters];
  };
  const draw = () => {
    if (!found) return;
    logarithm.checked = state.get("logy") === "1";
    simulation.follow(found, about.endpoints);
    plot.draw({ ...plotted(found, models.get(found.model), logarithm.checked), points: simulation.points, pinned: pinned.filter((one) => one.axis === found.abscissa.name) });
    facts.replaceChildren(...factLine(found), ...progress());
  };
  const progress = () => {
    if (!found.missing) return [];
    const here = found.abscissa.values.length;
    const text = `${here} of ${here + found.missing} points${comes ? "; the others come" : ""}`;
    const end = el("button", { type: "button", class: "use", id: "end-curve", onclick: () => asker.end() }, "end");
    return [el("span", { id: "curve-progress" }, text), ...(comes ? [end] : [])];
  };
  const savePdf = async () => {
    const [path, parameters] = question();
    const { ok, document: answer } = await askOnce(path.replace("curve/", "drawing/"), parameters);
    if (ok) saveFile("curve.pdf", Uint8Array.from(atob(answer.pdf), (sign) => sign.charCodeAt(0)), "application/pdf");
    say(ok ? "curve.pdf is saved" : answer.error);
  };
  const keep = (none = false) => {
    if (none) pinned = [];
    else if (found) {
      const [name, values] = Object.entries(found.curves)[0];
      const label = pinLabel(found, models.get(found.model));
      pinned = [...pinned.filter((one) => one.label !== label), { label, name, axis: found.abscissa.name, x: found.abscissa.values, values: values.map((y) => (typeof y === "number" ? y : NaN)) }];
    }
    unpin.hidden = pinned.length === 0;
    draw();
  };
  const asker = new Asker(document.getElementById("curve-section"), (reply, parameters, more) => {
    showError(error, reply.document.field === "activation" ? null : input, reply, parameters[reply.document.field]);
    place.classList.toggle("stale", !reply.ok);
    comes = more;
    if (reply.ok) found = reply.document;
    draw();
  });
  const ask = (patient) => asker.ask(...question(), { patient });

  select.addEventListener("change", () => state.set({ model: select.value }));
  logarithm.addEventListener("change", () => state.set({ logy: logarithm.checked ? 1 : null }));
  document.getElementById("take-target").addEventListener("click", () => state.set({ curve_target: state.get("target") }));
  state.listen((names, source) => {
    if (names.includes("model")) describe();
    else knobs.follow();
    if (names.includes("logy")) draw();
    const texts = [["curve_target", "target"], ["activation", "activation"]];
    const retyped = texts.some(([name, needed]) => names.includes(name) && model().inputs.includes(needed));
    if (retyped || names.includes("model")) ask(false);
    else if (names.some((name) => knobs.names.includes(name))) ask(source === "slider");
  });
  describe();
  ask(false);
}

/** What a pinned curve is of: the model and all that is not as it is by default. */
function pinLabel(found, model) {
  const moved = model.knobs.filter((knob) => String(found.parameters[knob.name]) !== String(knob.default));
  const words = moved.map((knob) => `${knob.symbol ?? knob.name} ${found.parameters[knob.name]}`);
  const texts = ["activation", "target"].map((name) => found.parameters[name]).filter(Boolean);
  return [model.title, ...texts, ...words].join(", ");
}

/** A table with one column a curve; pinned curves follow, with places of their own. */
function table(found, pinned, points) {
  if (!found) return "";
  const rows = (names, columns) => [names, ...columns[0].map((_, k) => columns.map((column) => column[k]))];
  const cell = (value) => (typeof value === "number" ? (Number.isFinite(value) ? String(value) : "") : `"${String(value ?? "").replaceAll('"', '""')}"`);
  const blocks = [rows([found.abscissa.name, ...Object.keys(found.curves)], [found.abscissa.values, ...Object.values(found.curves)])];
  for (const one of pinned) blocks.push(rows([one.axis, `${one.name}: ${one.label}`], [one.x, one.values]));
  if (points.length) {
    const columns = ["x", "name", "mean", "stderr"].map((name) => points.map((point) => point[name]));
    blocks.push(rows([found.abscissa.name, "curve", "mean of networks", "standard error"], columns));
  }
  return `${blocks.map((block) => block.map((row) => row.map(cell).join(",")).join("\n")).join("\n\n")}\n`;
}

function plotted(found, model, logy) {
  const described = [...model.curves, ...model.levels];
  const labelled = (name) => described.find((one) => one.name === name);
  return {
    x: found.abscissa.values,
    curves: Object.entries(found.curves).map(([name, values]) => ({ ...labelled(name), values: values.map((y) => (typeof y === "number" ? y : NaN)) })),
    levels: Object.entries(found.levels).map(([name, value]) => ({ ...labelled(name), value: typeof value === "number" ? value : NaN })),
    marks: found.marks,
    xlabel: model.abscissa,
    ylabel: model.ordinate,
    logx: found.abscissa.logarithmic,
    logy,
  };
}

function factLine(found) {
  const line = Object.entries(found.facts).map(([name, value]) => el("span", {}, `${SYMBOLS[name] ?? name} = `, el("b", {}, digits(value))));
  if (found.facts.c !== undefined) {
    const use = () => state.set({ c: Number(found.facts.c.toPrecision(6)), r: Number(found.facts.r.toPrecision(6)) }, "slider");
    line.push(el("button", { type: "button", class: "use", onclick: use }, "show μ at these r, c"));
  }
  for (const { at, label } of found.marks) line.push(el("span", {}, `${label}: α = `, el("b", {}, digits(at))));
  if (found.not_converged) line.push(el("span", {}, `${found.not_converged} points did not converge and are left out`));
  if (found.note) line.push(el("span", {}, found.note));
  return line;
}
