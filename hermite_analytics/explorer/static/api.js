// Questions to the endpoints.

import { say } from "./dom.js";

const LONG = 2500; // milliseconds after which a reader is told that something is going on

/** The address of an answer. */
export function addressOf(path, parameters) {
  return `/api/${path}?${new URLSearchParams(parameters)}`;
}

async function fetched(path, parameters, signal) {
  try {
    const response = await fetch(addressOf(path, parameters), { signal });
    return { ok: response.ok, status: response.status, document: await response.json() };
  } catch (error) {
    if (error.name === "AbortError") return null;
    return { ok: false, status: 0, document: { error: "the server does not answer; is it still running?", known: null } };
  }
}

/**
 * One place of the page that asks: only the newest answer is shown.
 *
 * A hurried question ends the one before it (typing); a patient one waits for it, and only the newest of those
 * that wait is asked (sliding), so that the server is never asked more than it can answer. An answer with points
 * missing is shown, and the same is asked again until none are, unless something else is.
 */
export class Asker {
  constructor(section, show) {
    this.section = section;
    this.show = show;
    this.running = null;
    this.next = null;
    this.ended = false;
  }

  /** Take what has come: the rest of a curve is not asked for. */
  end() {
    this.ended = this.running !== null;
  }

  async ask(path, parameters, { patient = false } = {}) {
    if (this.running) {
      this.next = [path, parameters];
      if (!patient) this.running.abort();
      return;
    }
    this.running = new AbortController();
    this.section?.setAttribute("aria-busy", "true");
    const patience = setTimeout(() => say("still computing; the first answers after a start take longest"), LONG);
    const reply = await fetched(path, parameters, this.running.signal);
    clearTimeout(patience);
    this.running = null;
    const left = reply?.ok && reply.document.missing > 0 ? [path, parameters] : null;
    const shown = reply && (!this.next || patient);
    const next = this.next ?? (this.ended ? null : left);
    this.next = null;
    this.ended = false;
    if (!next) this.section?.removeAttribute("aria-busy");
    if (shown) this.show(reply, parameters, next !== null && next === left);
    if (next) await this.ask(next[0], next[1], { patient });
  }
}

/** A single question. */
export async function askOnce(path, parameters, signal = undefined) {
  return fetched(path, parameters, signal);
}
