// Staircases as ladders: subspaces are rungs, coloured by the order of the step that leads to them.

import { el, term } from "./dom.js";

const WORDS = {
  "staircase (n ~ d)": "staircase",
  "leap decomposition": "leap_decomposition",
  "grand staircase": "grand_staircase",
};

/** The ladders side by side, subspaces of one dimension at one height. */
export function ladderFigure(ladders) {
  const dimensions = [...new Set(ladders.flatMap((ladder) => ladder.rungs.map((rung) => rung.dimension)))];
  dimensions.sort((a, b) => b - a);
  const figure = el("div", { class: "ladders" }, ...ladders.map((ladder) => drawn(ladder, dimensions)));
  figure.style.gridTemplateRows = `repeat(${dimensions.length + 1}, auto)`;
  return figure;
}

function drawn(ladder, dimensions) {
  const word = WORDS[ladder.title];
  const head = el("h4", {}, word ? term(word, ladder.title) : ladder.title);
  const end = el("p", { class: "end", title: ladder.end }, (ladder.is_open ? "open: " : "ends: ") + shortened(ladder.end));
  const highest = ladder.rungs.at(-1).dimension;
  const rungs = dimensions.map((dimension) => {
    const rung = ladder.rungs.find((candidate) => candidate.dimension === dimension);
    return rung ? rungRow(rung, dimension === highest) : passedRow(dimension > highest);
  });
  return el("div", { class: ladder.is_open ? "ladder open" : "ladder" }, el("div", {}, head, end), ...rungs);
}

function rungRow(rung, isTop) {
  const order = rung.order === null ? "ground" : `order-${Math.min(rung.order, 3)}`;
  const by = rung.order === null ? null : el("span", { class: "by", title: rung.unlocked_by }, `order ${rung.order}: ${shortened(rung.unlocked_by)}`);
  const says = el("div", { class: "says" }, `dimension ${rung.dimension} `, el("strong", {}, shortened(rung.basis, 120)), by);
  return el("div", { class: `rung ${order}${isTop ? " top" : ""}` }, el("div", { class: "rails" }, el("b")), says);
}

function passedRow(isAbove) {
  return el("div", { class: isAbove ? "rung above" : "rung" }, el("div", { class: "rails" }), el("div", { class: "says" }));
}

function shortened(text, longest = 150) {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
