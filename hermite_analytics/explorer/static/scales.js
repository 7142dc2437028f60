// Axes: from numbers to places, and where the ticks stand.

/** A linear or logarithmic scale from [low, high] to [from, to], with ticks. */
export function scale(low, high, from, to, logarithmic, count = 6) {
  const forward = logarithmic ? Math.log10 : (x) => x;
  const [a, b] = [forward(low), forward(high)];
  const place = (x) => from + ((forward(x) - a) / (b - a || 1)) * (to - from);
  const ticks = logarithmic ? logarithmicTicks(a, b, count) : linearTicks(low, high, count);
  const slack = 1e-9 * (b - a);
  return { place, ticks: ticks.filter((x) => forward(x) >= a - slack && forward(x) <= b + slack) };
}

function linearTicks(low, high, count) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.999) ?? 10 * power;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) ticks.push(k * step);
  return ticks;
}

function logarithmicTicks(a, b, count) {
  const within = b - a < 1.2 ? [1, 2, 3, 5, 7] : b - a < 3 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil((b - a) / count));
  const ticks = [];
  for (let k = Math.floor(a); k <= Math.ceil(b); k += 1) {
    if (within.length > 1 || k % stride === 0) ticks.push(...within.map((m) => m * 10 ** k));
  }
  return ticks;
}

/** The ends of what is to be seen: from 0 where all is positive, with a margin. */
export function extent(values, logarithmic) {
  const finite = values.filter((y) => Number.isFinite(y) && (!logarithmic || y > 0));
  if (!finite.length) return logarithmic ? [0.1, 1] : [0, 1];
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (logarithmic) return [low / 1.25, high * 1.25];
  const margin = 0.07 * (high - Math.min(low, 0) || 1);
  return [low < 0 ? low - margin : 0, high <= 0 ? Math.max(high, 0) : high + margin];
}
