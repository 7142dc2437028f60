// Elements, formulas, tooltips. Text from the server only ever becomes text nodes; formulas are copied element
// by element from a list of names.

const SVG = "http://www.w3.org/2000/svg";
const MATHML = "http://www.w3.org/1998/Math/MathML";
const MATH_ELEMENTS = new Set(
  ("math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd "
    + "mstyle mpadded mphantom menclose").split(" "),
);
const MATH_ATTRIBUTES = new Set(
  ("mathvariant stretchy fence form separator lspace rspace width height depth display displaystyle columnalign "
    + "linethickness accent minsize maxsize").split(" "),
);

/** An HTML element: el("p", {class: "note", onclick: f}, "text", child). */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** An SVG element. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The formula, or its text where there is none. */
export function formula(mathml, text) {
  const parsed = mathml && new DOMParser().parseFromString(mathml, "application/xml").documentElement;
  const copied = parsed && copyOf(parsed);
  if (!copied) return el("code", {}, text ?? "");
  copied.setAttribute("aria-label", text ?? "");
  return copied;
}

function copyOf(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  if (node.nodeType !== Node.ELEMENT_NODE || !MATH_ELEMENTS.has(node.localName)) return null;
  const copy = document.createElementNS(MATHML, node.localName);
  for (const { name, value } of node.attributes) if (MATH_ATTRIBUTES.has(name)) copy.setAttribute(name, value);
  copy.append(...[...node.childNodes].map(copyOf).filter(Boolean));
  return copy;
}

/** A word with its definition, shown when it is pointed at, focused or clicked. */
export function term(word, shown) {
  return el("button", { type: "button", class: "term", "data-word": word }, shown);
}

/** The ground of an answer. */
export function evidence(kind) {
  return el("button", { type: "button", class: `evidence ${kind}`, "data-word": kind }, kind);
}

/** Definitions appear beside all elements with data-word or data-tip. */
export function startTips(definitions) {
  const tip = document.getElementById("tip");
  let held = null;
  const show = (element) => {
    const text = element.dataset.tip ?? definitions[element.dataset.word];
    if (!text) return;
    tip.textContent = text;
    tip.showPopover();
    const place = element.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const below = place.bottom + 8 + size.height < innerHeight;
    tip.style.left = `${Math.max(12, Math.min(place.left, innerWidth - size.width - 12))}px`;
    tip.style.top = `${below ? place.bottom + 8 : Math.max(8, place.top - size.height - 8)}px`;
    held = element;
    element.setAttribute("aria-describedby", "tip");
  };
  const hide = () => {
    if (!held) return;
    held.removeAttribute("aria-describedby");
    held = null;
    tip.hidePopover();
  };
  const worded = (event) => event.target.closest?.("[data-word], [data-tip]");
  document.addEventListener("pointerover", (event) => (worded(event) ? show(worded(event)) : hide()));
  document.addEventListener("focusin", (event) => (worded(event) ? show(worded(event)) : hide()));
  document.addEventListener("focusout", hide);
  document.addEventListener("click", (event) => worded(event) && show(worded(event)));
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("scroll", hide, { passive: true, capture: true });
}

/** A source, its arXiv numbers as links. */
export function sourced(text) {
  return text.split(/(\d{4}\.\d{4,5})/).map((part, k) =>
    k % 2 ? el("a", { href: `https://arxiv.org/abs/${part}`, target: "_blank", rel: "noreferrer" }, part) : part,
  );
}

/** A short message at the bottom. */
export function say(text) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => status.classList.remove("shown"), 1800);
}

/** Digits for people. */
export function digits(value, count = 5) {
  if (value === null || value === undefined) return "unknown";
  if (value === "inf") return "∞";
  if (value === "-inf") return "−∞";
  if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4)) {
    const [mantissa, power] = value.toExponential(Math.max(0, count - 3)).split("e");
    return `${Number(mantissa)}·10${superscript(Number(power))}`.replace("-", "−");
  }
  return String(Number(value.toPrecision(count))).replace("-", "−");
}

/** Numbers as powers. */
export function superscript(number) {
  return [...String(number)].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join("");
}
