// Sliders with a field for the exact number, made from the descriptions that the server gives.

import { el } from "./dom.js";
import * as state from "./state.js";

const STEPS = 400;

/** A slider, or a choice; it writes to the state and follows it. */
export function knob(description) {
  return description.kind === "choice" ? choice(description) : slider(description);
}

function slider(description) {
  const { name, symbol, help, low, high, least, most, logarithmic, whole } = description;
  const value = () => Number(state.get(name, description.default));
  const forward = logarithmic ? Math.log : (x) => x;
  const backward = logarithmic ? Math.exp : (x) => x;
  const [a, b] = [forward(low), forward(high)];
  const range = el("input", { type: "range", min: 0, max: STEPS, step: 1, id: `range-${name}`, "aria-label": `${symbol}: ${help}` });
  const field = el("input", { type: "text", inputmode: "decimal", id: `field-${name}`, autocomplete: "off", "aria-label": symbol });
  const follow = () => {
    range.value = Math.round(((forward(Math.max(value(), low)) - a) / (b - a)) * STEPS);
    range.setAttribute("aria-valuetext", String(value()));
    if (document.activeElement !== field) field.value = String(value());
    field.removeAttribute("aria-invalid");
  };
  range.addEventListener("input", () => {
    const share = Number(range.value) / STEPS;
    const exact = share === 0 ? low : share === 1 ? high : backward(a + share * (b - a));
    state.set({ [name]: whole ? Math.round(exact) : Number(exact.toPrecision(3)) }, "slider");
  });
  const typed = () => {
    const number = Number(field.value.replace(",", "."));
    const accepted = field.value.trim() !== "" && number >= least && number <= most && (!whole || Number.isInteger(number));
    field.setAttribute("aria-invalid", String(!accepted));
    field.title = accepted ? "" : `accepted: ${whole ? "integers" : "numbers"} from ${least} to ${most}`;
    if (accepted) state.set({ [name]: number }, "slider");
  };
  field.addEventListener("input", typed);
  field.addEventListener("blur", follow);
  follow();
  const label = el("button", { type: "button", class: "term", "data-tip": help }, symbol);
  return { element: el("div", { class: "knob" }, label, range, field), follow, names: [name] };
}

function choice({ name, help, accepted }) {
  const select = el("select", { id: `field-${name}`, "aria-label": help }, ...accepted.map((word) => el("option", {}, word)));
  const follow = () => {
    select.value = state.get(name, accepted[0]);
  };
  select.addEventListener("change", () => state.set({ [name]: select.value }, "slider"));
  follow();
  const label = el("button", { type: "button", class: "term", "data-tip": help }, name);
  return { element: el("div", { class: "knob" }, label, select), follow, names: [name] };
}

/** Knobs in a grid; follow() moves them to the state. */
export function knobGrid(descriptions) {
  const made = descriptions.map(knob);
  return {
    element: el("div", { class: "knobs" }, ...made.map((one) => one.element)),
    names: made.flatMap((one) => one.names),
    follow: () => made.forEach((one) => one.follow()),
  };
}
