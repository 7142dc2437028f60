// Errors of the server beside the input that they are about.

import { el } from "./dom.js";

const WINDOW = 60;

/** Show the error of an answer, with a caret under the fault; nothing where the answer is good. */
export function showError(place, input, reply, text) {
  place.hidden = reply.ok;
  input?.setAttribute("aria-invalid", String(!reply.ok && reply.status === 400));
  if (reply.ok) {
    place.replaceChildren();
    return;
  }
  const { error, position, field } = reply.document;
  const about = field && field !== input?.id && !input?.id.endsWith(field) ? `${field}: ` : "";
  const caret = Number.isInteger(position) && text ? caretUnder(text, position) : null;
  place.replaceChildren(el("span", {}, about + error), ...(caret ? [caret] : []));
}

function caretUnder(text, position) {
  const line = text.replace(/\s/g, " ");
  const start = Math.max(0, Math.min(position - WINDOW / 2, line.length - WINDOW));
  const excerpt = line.slice(start, start + WINDOW);
  return el("pre", {}, `${excerpt}\n${" ".repeat(position - start)}`, el("b", {}, "^"));
}
