// The files of the repository that the pictures show.
const source = `import { readFile } from 'node:fs/promises';

export interface Crossing {
  readonly from: string;
  readonly to: string;
  /** Minutes after midnight. */
  readonly departs: number;
  readonly minutes: number;
}

/** Crossings of one day, in the order in which they leave. */
export async function readTimetable(path: string): Promise<Crossing[]> {
  const rows = JSON.parse(await readFile(path, 'utf8')) as Crossing[];
  return rows.toSorted((a, b) => a.departs - b.departs);
}

export function nextCrossing(timetable: readonly Crossing[], from: string, now: number): Crossing | undefined {
  return timetable.find((crossing) => crossing.from === from && crossing.departs >= now);
}
`;

/** What the pull request makes of the last function. */
export const changedSource = source.replace(
  /export function nextCrossing[^]*$/,
  `export function nextCrossing(timetable: readonly Crossing[], from: string, now: number): Crossing | undefined {
  const leaving = timetable.filter((crossing) => crossing.from === from);
  return leaving.find(({ departs }) => departs >= now) ?? leaving[0];
}

export const clock = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
`,
);

const readme = `# Ferry

Departures of the harbour ferries, for the board at the quay and for phones.

\`\`\`ts
import { nextCrossing, readTimetable } from '@harbour/ferry';

const timetable = await readTimetable('data/summer.json');
console.log(nextCrossing(timetable, 'North Quay', 9 * 60));
\`\`\`

| Route | Minutes | First | Last |
|---|---|---|---|
| North Quay → Island | 25 | 06:10 | 22:40 |
| Island → Lighthouse | 40 | 07:00 | 19:30 |

- [x] Summer timetable
- [ ] Delays from the harbour office
`;

const workflow = `name: Test
on: [push, pull_request, workflow_dispatch]
jobs:
  lint:
    runs-on: linux
    steps: [{ run: npm run lint }]
  test:
    needs: lint
    strategy: { matrix: { node: [20, 22] } }
    runs-on: linux
    steps:
      - name: Install
        run: npm ci
      - name: Test
        run: npm test
  publish:
    needs: test
    runs-on: linux
    steps: [{ run: npm publish }]
`;

const manifest = { name: '@harbour/ferry', version: '1.2.0', type: 'module', license: 'MIT' };

/** Commits of the main branch, oldest first: who, days ago, message and files. */
export const commits = [
  [
    'maria',
    41,
    'Describe what the board shows',
    { 'README.md': readme.slice(0, readme.indexOf('\n\n```')), LICENSE: 'MIT\n' },
  ],
  ['jonas', 33, 'Read timetables', { 'src/timetable.ts': source, 'package.json': JSON.stringify(manifest, null, 2) }],
  ['jonas', 26, 'Add the timetable of the summer', { 'data/summer.json': '[]\n' }],
  ['wei', 19, 'Test the order of departures', { 'test/timetable.test.ts': "import '../src/timetable.js';\n" }],
  [
    'maria',
    12,
    'Draw the board in large letters',
    { 'board/board.css': 'body {\n  font: 600 4vh/1.3 system-ui;\n}\n' },
  ],
  ['wei', 4, 'Run the tests on every push', { '.mortise/workflows/test.yml': workflow }],
  ['maria', 1, 'Show how to use it', { 'README.md': readme }],
];

export const issues = [
  ['The board shows yesterday after midnight', ['bug'], 'jonas', 1],
  ['Announce delays from the harbour office', ['feature'], 'maria', 1],
  ['Timetable of the winter', ['feature', 'good first issue'], 'wei', 0],
  ['Letters are too small on phones held sideways', ['bug', 'board'], 'maria', 2],
  ['Read timetables from a spreadsheet', ['feature'], undefined, 0],
  ['Say which ferries take bicycles', ['good first issue'], undefined, 0],
  ['Cache the timetable for a minute', ['feature', 'board'], 'jonas', 2],
];

export const testLog = [
  'quay, version v1, Linux',
  'added 214 packages in 3s',
  '',
  'found 0 vulnerabilities',
  '> @harbour/ferry@1.2.0 test',
  '> node --test',
  '',
  '\u001b[32m✔\u001b[0m departures are in order (1.9 ms)',
  '\u001b[32m✔\u001b[0m the next ferry leaves from the same quay (0.4 ms)',
  '\u001b[32m✔\u001b[0m no ferry leaves before the first one (0.3 ms)',
  '',
  'tests 3, pass 3, fail 0',
];
