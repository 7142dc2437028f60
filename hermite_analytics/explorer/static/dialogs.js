// The dialog: arguments behind answers, and texts to take away.

import { el, formula, say } from "./dom.js";
import { askOnce } from "./api.js";

const dialog = () => document.getElementById("dialog");

/** Make the dialog close by its button, and by a click beside it. */
export function startDialog() {
  document.getElementById("dialog-close").addEventListener("click", () => dialog().close());
  dialog().addEventListener("click", (event) => event.target === dialog() && dialog().close());
}

function open(title, ...content) {
  document.getElementById("dialog-title").textContent = title;
  const body = document.getElementById("dialog-body");
  body.replaceChildren(...content);
  if (!dialog().open) dialog().showModal();
  body.scrollTop = 0;
  return body;
}

/** The argument behind the answers about a target, opened at one of its sections. */
export async function openArgument(target, wanted) {
  open("The argument", el("p", {}, "…"));
  const { ok, document: found } = await askOnce("explanation", { target });
  if (!ok) {
    open("The argument", el("p", { class: "error" }, found.error));
    return;
  }
  const sections = found.sections.flatMap((section) => sectionOf(section, wanted.includes(section.title)));
  const body = open(found.title, ...sections);
  body.querySelector(".asked")?.scrollIntoView({ block: "start" });
}

function sectionOf(section, asked) {
  const title = el("h3", { class: asked ? "asked" : null }, section.title);
  const blocks = section.blocks.map((block) =>
    block.kind === "steps"
      ? el("ol", {}, ...block.items.map((item) => el("li", {}, ...item.map(piece))))
      : el("p", {}, ...block.items[0].map(piece)),
  );
  return [title, ...blocks];
}

/** A piece of a sentence: words, or a formula. */
export function piece({ text, mathml }) {
  return mathml ? formula(mathml, text) : document.createTextNode(text);
}

/** Buttons that show texts to take away: entries are [label, file name, function that gives the text]. */
export function exportRow(entries) {
  const buttons = entries.map(([label, file, text]) =>
    el("button", { type: "button", "data-export": label, onclick: async () => openText(label, file, await text()) }, label),
  );
  return el("div", { class: "exports" }, "take away as", ...buttons);
}

/** Let the browser keep a file. */
export function saveFile(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function openText(title, file, text) {
  const copy = async () => say((await copied(text)) ? "copied" : "the browser does not allow copying");
  const save = () => saveFile(file, text, "text/plain");
  const actions = el(
    "div", { class: "actions exports" },
    el("button", { type: "button", onclick: copy }, "copy"),
    el("button", { type: "button", onclick: save }, `save ${file}`),
  );
  open(title, actions, el("pre", {}, text));
}

/** Put a text on the clipboard; whether it is there. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** An SVG of the page as a file of its own: what the style sheet says becomes attributes. */
export function standalone(picture) {
  const copy = picture.cloneNode(true);
  const names = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "text-anchor"];
  const sources = [picture, ...picture.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  sources.forEach((source, k) => {
    const style = getComputedStyle(source);
    for (const name of names) copies[k].setAttribute(name, style.getPropertyValue(name));
    copies[k].removeAttribute("class");
  });
  copy.removeAttribute("tabindex");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", picture.viewBox.baseVal.width);
  copy.setAttribute("height", picture.viewBox.baseVal.height);
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}
