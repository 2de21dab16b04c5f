/** Bytes, `-1` for no limit; reads `1000`, `1 MB`, `1 GiB`. */
export function parseSize(text: string): number {
  const parts = /^\s*(-?\d+(?:\.\d+)?)\s*([kmgtp]?)(i?)b?\s*$/i.exec(text);
  if (!parts) return -1;
  const power = ' kmgtp'.indexOf(parts[2]!.toLowerCase() || ' ');
  const value = Number(parts[1]) * (parts[3] ? 1024 : 1000) ** power;
  return value < 0 ? -1 : Math.floor(value);
}
