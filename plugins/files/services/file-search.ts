// The browser runs this too: it may import nothing of the server.

/**
 * Paths that hold the letters of a search in their order, best first: whole words before scattered letters, file names
 * before folders, short before long.
 */
export function matches(paths: readonly string[], search: string, max: number): string[] {
  const wanted = search.toLowerCase().replace(/\s+/g, '');
  if (!wanted) return paths.slice(0, max);
  const scored: { path: string; score: number }[] = [];
  for (const path of paths) {
    const score = scoreOf(path.toLowerCase(), wanted);
    if (score !== undefined) scored.push({ path, score });
  }
  return scored
    .sort((one, other) => other.score - one.score || one.path.length - other.path.length)
    .slice(0, max)
    .map(({ path }) => path);
}

function scoreOf(path: string, wanted: string): number | undefined {
  const name = path.lastIndexOf('/') + 1;
  const whole = path.lastIndexOf(wanted);
  if (whole >= 0) return 1000 + (whole >= name ? 500 : 0) + (whole === name ? 200 : 0);
  let position = -1;
  let score = 0;
  for (const letter of wanted) {
    const next = path.indexOf(letter, position + 1);
    if (next < 0) return undefined;
    score += next === position + 1 ? 5 : next >= name ? 2 : 0;
    position = next;
  }
  return score;
}
