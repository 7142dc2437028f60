// The first section: a target, and everything that is known about it.

import { Asker, addressOf, askOnce } from "./api.js";
import { exportRow, openArgument, piece, standalone } from "./dialogs.js";
import { digits, el, evidence, formula, term } from "./dom.js";
import { showError } from "./errors.js";
import { ladderFigure } from "./ladder.js";
import { bars } from "./plot.js";
import * as state from "./state.js";

const EXPONENTS = [
  ["leap_index", "leap index", ["First nonzero tensor", "Hermite expansion"]],
  ["leap_complexity", "leap complexity", ["Leaps"]],
  ["isotropic_leap", "isotropic leap", ["Leaps"]],
  ["generative_exponent", "generative exponent", ["Generative exponent"]],
];

/** Ask for the target of the state, now and whenever it changes. */
export function startTarget() {
  const place = document.getElementById("target-result");
  const asker = new Asker(document.getElementById("target-section"), (reply, { target }) => {
    showError(document.getElementById("target-error"), document.getElementById("target"), reply, target);
    place.classList.toggle("stale", !reply.ok && !reply.document.known);
    if (reply.ok) place.replaceChildren(...whole(reply.document, target));
    else if (reply.document.known) place.replaceChildren(known(reply.document.known, target));
  });
  const ask = () => asker.ask("target", { target: state.get("target") });
  state.listen((names) => names.includes("target") && ask());
  ask();
}

function whole(found, target) {
  const { analysis, expansion, ladders, thresholds, complexities, exports } = found;
  return [
    el("div", { class: "formula" }, formula(found.formula.mathml, found.target)),
    el("div", { class: "cards" }, ...exponentCards(found, target), dimensionCard(analysis, target), recoveryCard(found, target)),
    el(
      "div", { class: "columns" },
      expansion ? expansionFigure(expansion) : el("p", { class: "help" }, "E[y|z] has no Hermite expansion."),
      el("div", {}, ...thresholdTable(thresholds), ...moments(found.moments)),
    ),
    el("h3", {}, "Staircases", el("span", { class: "aside" }, "a rung for each subspace: green order 1, amber order 2, red higher")),
    ladderFigure(ladders),
    ...complexityTable(complexities),
    exportRow([
      ["LaTeX", "argument.tex", async () => (await explanation(target)).latex],
      ["text", "argument.txt", async () => (await explanation(target)).text],
      ["Python", "analysis.py", () => exports.python],
      ["command line", "analysis.sh", () => `${exports.command}\n`],
      ["JSON", "analysis.json", () => `${JSON.stringify(analysis, null, 1)}\n`],
      ["SVG of the ladders", "ladders.svg", async () => (await explanation(target)).svg],
      ["SVG of the expansion", "expansion.svg", () => standalone(document.querySelector("#expansion svg"))],
      ["address of the answer", "address.txt", () => new URL(addressOf("target", { target }), location.href).href],
    ]),
  ];
}

async function explanation(target) {
  const { ok, document: found } = await askOnce("explanation", { target });
  return ok ? found.exports : { latex: found.error, text: found.error, svg: found.error };
}

/** What was found before the time ended. */
function known(found, target) {
  const cards = EXPONENTS.filter(([name]) => found[name]).map((entry) => exponentCard(entry, found, target));
  return el("div", { class: "cards" }, ...cards);
}

function exponentCards({ analysis, reasons }, target) {
  return EXPONENTS.map((entry) => exponentCard(entry, analysis, target, reasons));
}

function exponentCard([name, label, sections], analysis, target, reasons = {}) {
  const { value, at_least: least, evidence: ground, reason } = analysis[name];
  const number = value === null ? `≥ ${least}` : digits(value);
  return card(name, label, number, ground, reason, target, sections, reasons[name]?.map(piece));
}

function card(word, label, number, ground, reason, target, sections, typeset = [reason]) {
  const why = el("button", { type: "button", class: "why", onclick: () => openArgument(target, sections) }, "why?");
  return el(
    "div", { class: "card", "data-card": word },
    el("h3", {}, term(word, label)),
    el("p", { class: "number" }, ...[number].flat()),
    el("p", { class: "reason", title: reason }, ...typeset),
    el("div", { class: "foot" }, evidence(ground), why),
  );
}

function dimensionCard(analysis, target) {
  const inner = analysis.intrinsic_dimension;
  const number = [inner === null ? "?" : digits(inner), el("small", {}, ` of ${analysis.dimension}`)];
  const steps = analysis.staircase.limit_dimension;
  const reason = steps === null ? "how many several giant steps learn is open" : `several giant steps learn ${steps}`;
  return card("dimension", "directions", number, inner === null ? "undecided" : "exact", reason, target, ["Function"]);
}

function recoveryCard({ analysis, thresholds }, target) {
  const { trivial_dimension: trivial, easy_dimension: easy, hard_dimension: hard } = analysis.weak_recovery;
  const alpha = thresholds[0]?.alpha_c ?? analysis.weak_recovery.alpha_c;
  const count = (n) => (n === null ? "?" : n);
  const reason = `${count(trivial)} trivial, ${count(easy)} easy, ${count(hard)} hard`;
  return card("alpha_c", "threshold α_c", digits(alpha.value), alpha.evidence, reason, target, ["Weak recovery"]);
}

function expansionFigure(expansion) {
  const total = expansion.whole.value;
  const share = (q) => (typeof q.value === "number" && typeof total === "number" && total > 0 ? q.value / total : NaN);
  const entry = (q) => ({
    degree: q.degree,
    share: share(q),
    zero: q.zero === true,
    loose: q.evidence === "estimated" || q.evidence === "undecided",
    text: `${digits(100 * share(q), 3)}`,
    tip: `degree ${q.degree}: |C|²/k! = ${q.exact ?? digits(q.value, 10)} (${q.evidence})`,
  });
  const rest = expansion.tail.zero === true || share(expansion.tail) < 1e-15 ? null
    : { share: share(expansion.tail), text: digits(100 * share(expansion.tail), 3), tip: `degrees above ${expansion.degree}: ${digits(expansion.tail.value, 10)}` };
  return el(
    "div", { id: "expansion" },
    el("h3", {}, term("expansion", "Hermite expansion"), el("span", { class: "aside" }, "share of E f² by degree, in %")),
    el("div", { class: "plot" }, bars(expansion.norms.map(entry), rest)),
    coefficientList(expansion),
  );
}

function coefficientList({ coefficients, more_coefficients: more }) {
  if (!coefficients.length) return null;
  const items = coefficients.map((q) =>
    el("span", { title: q.evidence }, `c(${q.index.join(", ")}) = `, q.mathml ? formula(q.mathml, q.exact) : digits(q.value, 8)),
  );
  if (more) items.push(el("span", {}, `and ${more} more`));
  return el("details", {}, el("summary", {}, `${coefficients.length + more} coefficients c(S) = E[He_S(z) f(z)]`), el("div", { class: "coefficients" }, ...items));
}

function quantityCell(q) {
  const value = digits(q.value, 10);
  if (!q.mathml) return el("span", {}, value === "unknown" || q.evidence === "exact" ? value : `${value} ± ${digits(q.error, 1)}`);
  const plain = q.exact.match(/^-?\d+$/);
  return el("span", {}, formula(q.mathml, q.exact), plain ? "" : ` = ${value}`);
}

function thresholdTable(thresholds) {
  const rows = thresholds.flatMap(({ dimension, alpha_c: alpha, reason }, k) => [
    el("tr", {}, el("td", {}, `${k + 1}`), el("td", {}, `${dimension} new`), el("td", {}, quantityCell(alpha)), el("td", {}, evidence(alpha.evidence))),
    el("tr", { class: "because" }, el("td", {}), el("td", { colspan: 3 }, ...reason.map(piece))),
  ]);
  const head = el("tr", {}, ...["stage", "directions", "α_c = n/d", "evidence"].map((name) => el("th", { scope: "col" }, name)));
  return [
    el("h3", {}, term("weak_recovery", "Thresholds")),
    rows.length ? el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)) : el("p", { class: "help" }, "not known"),
  ];
}

function moments({ mean, second_moment: second }) {
  return [
    el("h3", {}, "Moments"),
    el("p", {}, term("mean", "E y"), " = ", quantityCell(mean), ", ", term("second_moment", "E y²"), " = ", quantityCell(second)),
  ];
}

function complexityTable(rows) {
  if (!rows.length) return [];
  const head = ["algorithm", "samples", "status", "remark"].map((name) => el("th", { scope: "col" }, name));
  const body = rows.map(({ algorithm, samples, status, source, remark }) =>
    el("tr", {}, el("td", {}, algorithm), el("td", {}, samples ?? "not decided"), el("td", {}, status), el("td", { class: "remark" }, remark, el("br"), source)),
  );
  return [
    el("h3", {}, term("complexities", "Samples needed")),
    el("table", { class: "wide" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body)),
  ];
}
