// The third section: a model, its sliders, and the learning curve that moves with them.

import { Asker, addressOf } from "./api.js";
import { exportRow, standalone } from "./dialogs.js";
import { digits, el } from "./dom.js";
import { showError } from "./errors.js";
import { knobGrid } from "./knobs.js";
import { LinePlot } from "./plot.js";
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
  select.append(...about.models.map((model) => el("option", { value: model.name }, model.title)));
  place.append(controls, plot.element, facts, scaling, exportRow([
    ["LaTeX", "curve.tex", () => found?.exports.latex ?? ""],
    ["Python", "curve.py", () => found?.exports.python ?? ""],
    ["command line", "curve.sh", () => `${found?.exports.command ?? ""}\n`],
    ["JSON", "curve.json", () => `${JSON.stringify(found, null, 1)}\n`],
    ["SVG", "curve.svg", () => standalone(plot.canvas.querySelector("svg"))],
    ["address of the answer", "address.txt", () => new URL(addressOf(...question()), location.href).href],
  ]));

  const model = () => models.get(state.get("model")) ?? about.models[0];
  const describe = () => {
    const shown = model();
    select.value = shown.name;
    document.getElementById("model-help").textContent = `${shown.help} (${shown.source})`;
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
    plot.draw(plotted(found, models.get(found.model), logarithm.checked));
    facts.replaceChildren(...factLine(found));
  };
  const asker = new Asker(document.getElementById("curve-section"), (reply, parameters) => {
    showError(error, reply.document.field === "activation" ? null : input, reply, parameters[reply.document.field]);
    place.classList.toggle("stale", !reply.ok);
    if (!reply.ok) return;
    found = reply.document;
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
