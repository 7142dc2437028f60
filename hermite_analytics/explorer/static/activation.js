// The second section: an activation, its three coefficients as formulas and as curves over kappa.

import { Asker } from "./api.js";
import { exportRow, standalone } from "./dialogs.js";
import { el, formula, term } from "./dom.js";
import { showError } from "./errors.js";
import { knobGrid } from "./knobs.js";
import { LinePlot } from "./plot.js";
import * as state from "./state.js";

const NAMES = { mu0: "μ₀", mu1: "μ₁", mu2_squared: "μ₂²" };
const KNOBS = ["c", "r", "kappa_max"];

/** Ask for the activation of the state, now and whenever it changes. */
export function startActivation(about) {
  const section = document.getElementById("activation-section");
  const place = document.getElementById("activation-result");
  const input = document.getElementById("activation");
  const error = document.getElementById("activation-error");
  const formulas = el("div");
  const plot = new LinePlot("conditional coefficients");
  const realised = el("div", { class: "facts", id: "learns" });
  const knobs = knobGrid(about.endpoints.find((e) => e.path === "/api/coefficients").parameters.filter((p) => KNOBS.includes(p.name)));
  let drawn = null;
  let exports = null;
  place.append(formulas, realised, knobs.element, plot.element, exportRow([
    ["LaTeX", "coefficients.tex", () => exports?.latex ?? ""],
    ["Python", "coefficients.py", () => exports?.python ?? ""],
    ["command line", "coefficients.sh", () => `${exports?.command ?? ""}\n`],
    ["JSON", "coefficients.json", () => `${JSON.stringify(drawn, null, 1)}\n`],
    ["SVG", "coefficients.svg", () => standalone(plot.canvas.querySelector("svg"))],
  ]));

  const formulaAsker = new Asker(section, (reply, { activation }) => {
    showError(error, input, reply, activation);
    place.classList.toggle("stale", !reply.ok);
    if (!reply.ok) return;
    exports = reply.document.exports;
    formulas.replaceChildren(...formulaRows(reply.document));
    askCurves();
    askLearns();
  });
  const curveAsker = new Asker(null, (reply, { activation }) => {
    if (!reply.ok) {
      showError(error, input, reply, activation);
      place.classList.add("stale");
      return;
    }
    drawn = reply.document;
    plot.draw({
      x: drawn.kappa,
      curves: Object.entries(drawn.curves).map(([name, values]) => ({ name, label: NAMES[name], help: about.definitions[name], values })),
      xlabel: "κ", ylabel: "coefficient",
    });
  });
  const learnsAsker = new Asker(null, (reply) => realised.replaceChildren(...(reply.ok ? learnsLine(reply.document) : [])));

  const askCurves = () => curveAsker.ask("coefficients", { activation: state.get("activation"), ...chosen() }, { patient: true });
  const askLearns = () => learnsAsker.ask("learns", { activation: state.get("activation"), target: state.get("target") });
  const chosen = () => Object.fromEntries(KNOBS.filter((name) => state.get(name) !== undefined).map((name) => [name, state.get(name)]));
  const ask = () => formulaAsker.ask("activation", { activation: state.get("activation") });
  state.listen((names) => {
    if (names.some((name) => KNOBS.includes(name))) knobs.follow();
    if (names.includes("activation")) ask();
    else if (names.some((name) => KNOBS.includes(name))) askCurves();
    if (names.includes("target") && !names.includes("activation")) askLearns();
  });
  ask();
}

function formulaRows({ coefficients, is_odd: odd, has_jumps: jumps }) {
  const rows = Object.entries(coefficients).map(([name, found]) =>
    el(
      "div", { class: "coefficient-row", "data-coefficient": name },
      el("div", {}, term(name, `${NAMES[name]}(κ)`), el("span", { class: "remark" }, found.closed ? "closed form" : "an expectation; no closed form")),
      el("div", { class: "shown" }, formula(found.mathml, found.text)),
    ),
  );
  const facts = [odd ? "odd" : "not odd", jumps === false ? "continuous" : jumps ? "it jumps" : "continuity not decided"];
  return [el("p", { class: "help" }, facts.join(", ")), ...rows];
}

function learnsLine({ target, is_realised: realised, steps, end }) {
  const verdicts = steps.map(({ step, verdict, reason }) => el("span", { title: reason }, `step ${step}: ${verdict}`));
  const answer = realised === true ? "yes" : realised === false ? "no" : "open";
  return [
    el("span", {}, term("learns", "does a network with this activation climb the staircase above?"), " ", el("b", {}, answer)),
    ...verdicts,
    ...(steps.length ? [] : [el("span", {}, end)]),
  ];
}
