// The worst that was found to ask of a server (S2, S3 of the hardening review), over real HTTP, and what another visitor
// meets meanwhile: for `test/hostile/beside-others.test.mjs`, which wants no figures, and `bench/beside-others.mjs`, which
// gives them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const signedIn = { authorization: `Basic ${Buffer.from('root:password').toString('base64')}` };

/** Pushes the repository `root/worst` and makes `root/simple`; gives the worst inputs: what each is → path and how to ask. */
export async function makeWorst(base, folder) {
  for (const name of ['worst', 'simple']) {
    const made = await fetch(`${base}/api/v1/user/repos`, {
      method: 'POST',
      headers: { ...signedIn, 'content-type': 'application/json' },
      body: JSON.stringify({ name, auto_init: name === 'simple' }),
    });
    if (!made.ok) throw new Error(`${name}: ${made.status} ${await made.text()}`);
  }
  const work = join(folder, 'worst');
  mkdirSync(join(work, 'many'), { recursive: true });
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: work });
  const lines = (count, round) => Array.from({ length: count }, (_, n) => `let a${n} = "${n * round}";\n`).join('');
  const commit = (round) => {
    writeFileSync(join(work, 'wide.js'), `let a = 1;\n${'a'.repeat(32 << 10)}\nlet b = ${round};\n`);
    writeFileSync(join(work, 'long.js'), lines(20_000, round));
    for (let n = 0; n < 300; n++) writeFileSync(join(work, 'many', `file${n}.js`), lines(100, round + n));
    git('add', '.');
    git('commit', '-q', '-m', `round ${round}`);
  };
  git('init', '-q', '-b', 'main');
  let random = '';
  for (let at = 0, state = 7; at < 1_000_000; at++)
    random += (state = (state * 1103515245 + 12345) % 2 ** 31) & 64 ? 'a' : 'b';
  writeFileSync(join(work, 'long.txt'), `${random}\n`);
  writeFileSync(join(work, 'README.md'), `# Worst\n\`\`\`js\n${'a'.repeat(64 << 10)}\n\`\`\`\n`);
  writeFileSync(join(work, 'deep.md'), '<b>'.repeat(130_000));
  writeFileSync(join(work, 'table.md'), `|a${'|a'.repeat(1000)}\n${'|-'.repeat(1001)}\n${'|b'.repeat(200_000)}`);
  writeFileSync(join(work, 'cells.csv'), ','.repeat(500_000));
  writeFileSync(join(work, 'slow.cs'), `${'function '.repeat(50)}\n`.repeat(800));
  commit(1);
  commit(2);
  git(
    '-c',
    `http.extraHeader=Authorization: ${signedIn.authorization}`,
    'push',
    '-q',
    `${base}/root/worst.git`,
    'main',
  );
  return worstInputs(git('rev-parse', 'HEAD').toString().trim());
}

const page = (path) => [`/root/worst${path}`];
const text = (body) => [
  '/api/v1/markdown/raw',
  { method: 'POST', headers: { ...signedIn, 'content-type': 'text/plain' }, body },
];
const rule = (name) => [
  '/api/v1/repos/root/worst/branch_protections',
  {
    method: 'POST',
    headers: { ...signedIn, 'content-type': 'application/json' },
    body: JSON.stringify({ rule_name: name }),
  },
];
const search = (expression) => page(`/search/branch/main?mode=regex&q=${encodeURIComponent(expression)}`);

const worstInputs = (commit) => ({
  'an expression that takes long': search('(a|b)*a(a|b){200}c'),
  'an expression of many parts': search('(.{0,30}a.{0,30}){9}c'),
  'an expression that unfolds': search('((a{1,200}){1,200}){1,200}'),
  'an author that looks like an expression': ['/api/v1/repos/root/worst/commits?author=(((x{1,200}){1,200}){1,200}'],
  'a README with a long word in a fence': page(''),
  'nested elements': page('/src/branch/main/deep.md'),
  'a wide table': page('/src/branch/main/table.md'),
  'many cells': page('/src/branch/main/cells.csv'),
  'a slow grammar': page('/src/branch/main/slow.cs'),
  'many lines': page('/src/branch/main/long.js'),
  'images that are none': text('!['.repeat(150_000)),
  quotations: text(`- ${'> '.repeat(100_000)}`),
  'a huge difference as a page': page(`/commit/${commit}`),
  'a huge difference as text': page(`/commit/${commit}.diff`),
  'blame of long lines': page('/blame/branch/main/wide.js'),
  'blame of many lines': page('/blame/branch/main/long.js'),
  'a rule that unfolds': rule('{a,aa}'.repeat(30)),
  'a rule of many stars': rule('*a'.repeat(90)),
  'the branches under such rules': ['/api/v1/repos/root/worst/branches'],
});

/** What another visitor asks for. */
export const simpleRead = '/api/v1/repos/root/simple';

async function timeOf(url, request) {
  const begin = performance.now();
  const answer = await fetch(url, request);
  await answer.arrayBuffer();
  return { ms: performance.now() - begin, status: answer.status };
}

/** Times of the simple read in ms: `count` of them, or as many as there is time for while `work` goes on. */
export async function readBeside(base, { count = Infinity, work }) {
  let isOver = false;
  const ended = work?.finally(() => (isOver = true));
  const times = [];
  while (times.length < count && !isOver) {
    const { ms, status } = await timeOf(base + simpleRead);
    if (status !== 200) throw new Error(`the simple read: ${status}`);
    times.push(ms);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { times, result: await ended };
}

/** Asks for it several times at once; gives how long the longest took, and the statuses. */
export async function askForWorst(base, [path, request], { times = 3 } = {}) {
  const all = await Promise.all(Array.from({ length: times }, () => timeOf(base + path, request)));
  return { ms: Math.max(...all.map((one) => one.ms)), statuses: all.map((one) => one.status) };
}
