// Whether a series grows.

/** How much a series may grow beyond a tenth, since small numbers vary; by the pattern of its name. */
const tolerances = [
  [/: resident memory \(MB\)$/, 12],
  [/\(MB\)$/, 6],
  [/^folder .*: MB$/, 4],
  [/^folder .*: files$/, 60],
  [/^table /, 40],
  [/descriptors$/, 12],
  [/threads$/, 4],
  [/^other processes$/, 6],
];

/** What grows for a reason, by the name of its series. */
export const reasons = {};

export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Compares the last quarter of the samples with the second one, each by its median: flat is at most a tenth more and a small
 * constant. A series that is missing in a sample has 0 there. Gives one row for each series:
 * { name, before, after, highest, isFlat, reason }.
 */
export function compareQuarters(samples) {
  const quarter = samples.length / 4;
  const part = (from, to) => samples.slice(Math.floor(from * quarter), Math.floor(to * quarter));
  const names = [...new Set(samples.flatMap(({ series }) => Object.keys(series)))].sort();
  return names.map((name) => {
    const valuesOf = (some) => some.map(({ series }) => series[name] ?? 0);
    const [before, after] = [median(valuesOf(part(1, 2))), median(valuesOf(part(3, 4)))];
    const constant = tolerances.find(([pattern]) => pattern.test(name))?.[1] ?? 0;
    const isFlat = after <= before * 1.1 + constant;
    return { name, before, after, highest: Math.max(...valuesOf(samples)), isFlat, reason: reasons[name] };
  });
}

export const grown = (rows) => rows.filter(({ isFlat, reason }) => !isFlat && reason === undefined);
