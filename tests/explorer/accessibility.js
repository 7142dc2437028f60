// What a reader with a screen reader, a keyboard or weak eyes would stumble over: a list of sentences.
const found = [];
const say = (element, what) => found.push(`${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""}${
  element.getAttribute("class") ? `.${element.getAttribute("class")}` : ""}: ${what}: ${element.textContent.trim().slice(0, 40)}`);
const all = (selector) => [...document.querySelectorAll(selector)];
const shown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
const textOf = (ids) => (ids ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("").trim();
const nameOf = (e) => e.getAttribute("aria-label")?.trim() || textOf(e.getAttribute("aria-labelledby"))
  || [...(e.labels ?? [])].map((label) => label.textContent).join("").trim();

// names of controls, pictures and regions
for (const e of all("input, select, textarea")) if (!nameOf(e)) say(e, "a control without a label");
for (const e of all("button, a[href], summary")) if (!nameOf(e) && !e.textContent.trim() && !e.title) say(e, "a button without a name");
for (const e of all("img")) if (!e.hasAttribute("alt")) say(e, "a picture without alt");
for (const e of all("svg")) {
  const hidden = e.closest("[aria-hidden='true']");
  if (shown(e) && !hidden && !(e.getAttribute("role") === "img" && nameOf(e))) say(e, "a drawing without role and name");
}
for (const e of all("section, dialog[open]")) if (!nameOf(e)) say(e, "a region without a name");
for (const e of all("table th")) if (!e.getAttribute("scope")) say(e, "a heading of a table without scope");
for (const e of all("table th")) if (!e.textContent.trim()) say(e, "an empty heading of a table");

// structure
const ids = all("[id]").map((e) => e.id);
for (const id of new Set(ids.filter((id, k) => ids.indexOf(id) !== k))) found.push(`the id ${id} stands twice`);
for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for"])
  for (const e of all(`[${name}]`)) for (const id of e.getAttribute(name).split(" "))
    if (!document.getElementById(id)) say(e, `${name} names ${id}, which is not there`);
if (!document.documentElement.lang) found.push("the page has no language");
if (all("main").length !== 1 || all("h1").length !== 1) found.push("one main part and one h1 are wanted");
let level = 1;
for (const e of all("main h2, main h3, main h4").filter(shown)) {
  const own = Number(e.tagName[1]);
  if (own > level + 1) say(e, `h${own} behind h${level}`);
  level = own;
}
for (const e of all("[tabindex]")) if (e.tabIndex > 0) say(e, "an order of its own by tabindex");

// contrast: WCAG 2.2, 4.5 for text, 3 for large text
const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
const rgba = (colour) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, below) => [0, 1, 2].map((k) => top[3] * top[k] + (1 - top[3]) * below[k]).concat(1);
const ground = (e) => {
  const layers = [];
  for (let at = e; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
};
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const e = node.parentElement;
  if (!node.data.trim() || e.closest("script, style, noscript, option, #tip, #status, .stale") || !shown(e)) continue;
  const style = getComputedStyle(e);
  const below = ground(e);
  const ink = over(rgba(e instanceof SVGElement ? style.fill : style.color), below);
  const [high, low] = [light(ink), light(below)].sort((a, b) => b - a);
  const ratio = (high + 0.05) / (low + 0.05);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  if (ratio < (large ? 3 : 4.5)) say(e, `contrast ${ratio.toFixed(2)}`);
}
return found;
