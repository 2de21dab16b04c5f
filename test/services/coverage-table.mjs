// What share of the lines of each package ran: the sums, the floor, and the table that is printed and kept.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Percent of lines that the tests run of the kernel, of the SDK, and of the services of each plugin. */
export const floor = 85;

/** `plugins/wiki/services/x.ts` → `wiki` and `wiki services`. */
function namesOf(path) {
  const [, plugin, rest] = /^plugins\/([\w-]+)\/(.*)/.exec(path) ?? [];
  if (!plugin) return [path.split('/')[0]];
  return rest.startsWith('services/') ? [plugin, `${plugin} services`] : [plugin];
}

/** Lines by the names above, of a map of coverage as istanbul has it. */
export function sumLines(map, root) {
  const sums = new Map();
  for (const file of map.files()) {
    const { total, covered } = map.fileCoverageFor(file).toSummary().lines;
    for (const name of namesOf(file.slice(root.length + 1))) {
      const sum = sums.get(name) ?? { covered: 0, total: 0 };
      sums.set(name, { covered: sum.covered + covered, total: sum.total + total });
    }
  }
  return sums;
}

const percent = ({ covered, total }) => (total ? (100 * covered) / total : 100);
const isHeld = (name) => ['core', 'plugin-sdk'].includes(name) || name.endsWith(' services');
const shown = (sum) => (sum ? `${percent(sum).toFixed(1)} %` : '');

/** Packages, and services of plugins, of which the tests run less than the floor. */
export const belowFloor = (sums) => [...sums].filter(([name, sum]) => isHeld(name) && percent(sum) < floor);

/** The table that is printed and kept, a row a package. */
export function tableOf(sums) {
  const plugins = [...sums.keys()].filter((name) => !isHeld(name)).sort();
  const all = [...sums].filter(([name]) => !name.endsWith(' services'));
  const total = all.reduce((sum, [, one]) => ({ covered: sum.covered + one.covered, total: sum.total + one.total }), {
    covered: 0,
    total: 0,
  });
  const rows = [
    ...['core', 'plugin-sdk'].filter((name) => sums.has(name)).map((name) => [name, shown(sums.get(name)), '']),
    ...plugins.map((name) => [name, shown(sums.get(name)), shown(sums.get(`${name} services`))]),
    ['all', shown(total), ''],
  ];
  return [
    '| package | lines | of its services |',
    '|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

/** Writes `test/coverage.md`. */
export function writeTable(sums, { date, commit, seconds }) {
  const path = fileURLToPath(new URL('../coverage.md', import.meta.url));
  const below = belowFloor(sums).map(([name, sum]) => `${name} (${shown(sum)})`);
  writeFileSync(
    path,
    `# Coverage

Lines of the TypeScript sources that the tests on SQLite run, by \`npm run coverage\` on ${date} at \`${commit}\`, in
${Math.round(seconds / 60)} minutes. The command fails below ${floor} % of the kernel, of the SDK, or of the services of a plugin.

Below the floor: ${below.length ? below.join(', ') : 'none'}.

${tableOf(sums)}
`,
  );
}
