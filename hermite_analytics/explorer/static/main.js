// The page: texts that are typed go to the state, and the three sections follow it.

import { startActivation } from "./activation.js";
import { startCurve } from "./curve.js";
import { copied, startDialog } from "./dialogs.js";
import { el, say, startTips } from "./dom.js";
import * as state from "./state.js";
import { startTarget } from "./target.js";

const PAUSE = 250; // milliseconds without a key before a text is asked about
const THEME = "hermite-analytics-theme";

async function start() {
  startTheme();
  startDialog();
  const about = await (await fetch("/api/about")).json();
  startTips(about.definitions);
  state.start(about.start);
  document.getElementById("version").textContent = `hermite-analytics ${about.version}.`;
  for (const name of ["target", "activation", "curve_target"]) startText(name, about.examples[name]);
  startTarget();
  startActivation(about);
  startCurve(about);
  startProjector();
  document.getElementById("copy-link").addEventListener("click", async () => {
    say((await copied(state.link())) ? "the link is copied" : "the link is in the address bar");
  });
  document.documentElement.dataset.ready = "yes";
}

/** A text field, and its examples, bound to the state. */
function startText(name, examples) {
  const input = document.getElementById(name);
  const place = document.querySelector(`.examples[data-for="${name}"]`);
  let timer = 0;
  const buttons = examples.map(({ text, why }) =>
    el("button", { type: "button", "data-tip": why, onclick: () => state.set({ [name]: text }) }, text),
  );
  place.append(...buttons);
  const follow = () => {
    if (input.value !== state.get(name)) input.value = state.get(name);
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === input.value));
  };
  const write = () => {
    clearTimeout(timer);
    if (input.value !== state.get(name)) state.set({ [name]: input.value });
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(write, PAUSE);
  });
  input.addEventListener("keydown", (event) => event.key === "Enter" && write());
  input.addEventListener("change", write);
  state.listen((names) => names.includes(name) && follow());
  follow();
}

/** Large letters and thick lines, kept in the address. */
function startProjector() {
  const button = document.getElementById("projector");
  const follow = () => {
    const large = state.get("view") === "projector";
    document.documentElement.dataset.view = large ? "projector" : "";
    button.setAttribute("aria-pressed", String(large));
  };
  button.addEventListener("click", () => state.set({ view: state.get("view") === "projector" ? null : "projector" }));
  state.listen((names) => names.includes("view") && follow());
  follow();
}

/** Light or dark: as the system has it, until the button is pressed. */
function startTheme() {
  const root = document.documentElement;
  const kept = remembered();
  if (kept) root.dataset.theme = kept;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remembered(root.dataset.theme);
  });
}

function remembered(theme) {
  try {
    if (theme) localStorage.setItem(THEME, theme);
    return localStorage.getItem(THEME);
  } catch {
    return null; // a private window
  }
}

start();
