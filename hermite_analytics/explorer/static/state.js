// What the page shows, kept in the fragment of its address: a link restores it, and the server never sees it.

const listeners = new Set();
let state = new Map();
let written = "";

/** A value as text, or what is given for its absence. */
export function get(name, otherwise = undefined) {
  return state.has(name) ? state.get(name) : otherwise;
}

/** Change values; null takes one away. */
export function set(changes, source = null) {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) state.delete(name);
    else state.set(name, String(value));
  }
  clearTimeout(set.timer);
  set.pushes = set.pushes || source !== "slider"; // a text or a choice is a step of the history, a slider is none
  set.timer = setTimeout(write, 200); // browsers limit how often an address may change
  for (const listen of listeners) listen(Object.keys(changes), source);
}

/** Call listen(names, source) after each change. */
export function listen(listener) {
  listeners.add(listener);
}

/** The address of what is shown now. */
export function link() {
  write();
  return location.href;
}

/** Read the address, now and whenever it changes. */
export function start(defaults) {
  const read = () => {
    const given = [...new URLSearchParams(location.hash.slice(1))].filter(([, value]) => value.length <= 4000);
    state = new Map([...Object.entries(defaults), ...given.slice(0, 60)]);
    written = location.hash;
  };
  addEventListener("hashchange", () => {
    if (location.hash === written) return;
    const before = [...state.keys()];
    read();
    for (const listen of listeners) listen([...new Set([...before, ...state.keys()])], "address");
  });
  read();
}

function write() {
  const hash = `#${new URLSearchParams([...state])}`;
  if (hash === location.hash) return;
  written = hash;
  const step = set.pushes && location.hash ? "pushState" : "replaceState";
  set.pushes = false;
  history[step](null, "", hash);
  written = location.hash;
}
