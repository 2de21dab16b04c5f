/** Semantic versions 2.0.0, read strictly. */
const pattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

export const isVersion = (text: string): boolean => text.length <= 255 && pattern.test(text);

/** Would a client read the text as a version or range (`1`, `v1.0`)? Then it cannot be a tag. */
export const readsAsVersion = (text: string): boolean =>
  /^[v=\s]*\d+(?:\.(?:\d+|[x*])){0,2}(?:[-+][\w.+-]+)?$/i.test(text) || /^[\^~<>=*]/.test(text);

interface Parsed {
  readonly numbers: readonly number[];
  readonly pre: readonly string[];
}

function parse(version: string): Parsed {
  const parts = pattern.exec(version);
  return parts
    ? { numbers: [Number(parts[1]), Number(parts[2]), Number(parts[3])], pre: parts[4]?.split('.') ?? [] }
    : { numbers: [-1, -1, -1], pre: [] };
}

export const isPreRelease = (version: string): boolean => parse(version).pre.length > 0;

/** Below 0 when `one` is lower. */
export function compareVersions(one: string, other: string): number {
  const a = parse(one);
  const b = parse(other);
  for (let at = 0; at < 3; at++) if (a.numbers[at] !== b.numbers[at]) return a.numbers[at]! - b.numbers[at]!;
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let at = 0; at < Math.max(a.pre.length, b.pre.length); at++) {
    const [x, y] = [a.pre[at], b.pre[at]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    if (x === y) continue;
    const [xIsNumber, yIsNumber] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (xIsNumber && yIsNumber) return Number(x) - Number(y);
    if (xIsNumber !== yIsNumber) return xIsNumber ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}
