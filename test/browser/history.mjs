// A small history with every kind of file, merge, branch and tag that the pages have a view for.
import { spawn } from 'node:child_process';

const file = (path, text, mode = '100644') => `M ${mode} inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
const pixel =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="32" cy="32" r="30" fill="#2da44e"/></svg>';
const script = (round) =>
  `// Turns the wheel, round ${round}.\n${Array.from({ length: 30 }, (_, line) => `export const spoke${line} = (angle) => angle * ${line === round % 30 ? round : line};`).join('\n')}\n`;
const notebook = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { language_info: { name: 'python' } },
  cells: [
    { cell_type: 'markdown', metadata: {}, source: ['# Measurements'] },
    {
      cell_type: 'code',
      metadata: {},
      execution_count: 1,
      source: ['print(6 * 7)'],
      outputs: [{ output_type: 'stream', name: 'stdout', text: ['42\n'] }],
    },
  ],
});
/** One empty page. */
const paper = [
  '%PDF-1.4',
  '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
  '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj',
  'trailer<</Root 1 0 R>>',
  '%%EOF\n',
].join('\n');
const readme =
  '# Wheel\n\nIt *turns*. See [the guide](docs/guide.md).\n\n![A wheel](art/wheel.svg)\n\n| Part | Count |\n| --- | --- |\n| Spoke | 30 |\n\n```js\nconst angle = 90;\n```\n';

/** Imports the history into the empty repository at `folder`: main, topic, wip/old and the tags v1.0 and v1.1. */
export async function importHistory(folder, { rounds = 40 } = {}) {
  const child = spawn('git', ['-C', folder, 'fast-import', '--quiet'], { stdio: ['pipe', 'inherit', 'inherit'] });
  let mark = 0;
  let time = 1_700_000_000;
  const commit = (branch, message, body, { from, merge } = {}) => {
    time += 36_000;
    const who = `${mark % 3 ? 'Ada Lovelace <root@example.com>' : 'Grace <grace@example.com>'} ${time} +0000`;
    const parents = `${from ? `from :${from}\n` : ''}${merge ? `merge :${merge}\n` : ''}`;
    child.stdin.write(
      `commit refs/heads/${branch}\nmark :${++mark}\nauthor ${who}\ncommitter ${who}\ndata ${Buffer.byteLength(message)}\n${message}\n${parents}${body}\n`,
    );
    return mark;
  };
  const tag = (name, from) =>
    child.stdin.write(
      `tag ${name}\nfrom :${from}\ntagger Ada Lovelace <root@example.com> ${time} +0000\ndata ${name.length + 8}\nVersion ${name}\n`,
    );
  commit(
    'main',
    'Start the wheel\n\nWith everything that a wheel needs.',
    file('README.md', readme) +
      file('LICENSE', 'MIT License\n\nCopyright (c) 2026 Ada\n') +
      file('docs/guide.md', '# Guide\n\nRead `lib/turn.js`.\n') +
      file('docs/deep/er/than/most/note.txt', 'Deep.\n') +
      file('art/wheel.svg', pixel) +
      file('data/table.csv', 'part,count\nspoke,30\n"hub, inner",1\n') +
      file('data/notebook.ipynb', notebook) +
      file('data/paper.pdf', paper) +
      file('data/bytes.bin', 'a\u0000b') +
      file('lib/a file with spaces.txt', 'Spaces.\n') +
      file('latest', 'docs/guide.md', '120000') +
      file('lib/turn.js', script(0)),
  );
  const first = mark;
  for (let round = 1; round <= rounds; round++) {
    commit('main', `Turn the wheel ${round}`, file('lib/turn.js', script(round)));
    if (round === 5) tag('v1.0', mark);
  }
  const main = mark;
  commit('topic', 'Grease the hub', file('lib/hub.js', 'export const hub = 1;\n'), { from: main - 4 });
  const topic = commit(
    'topic',
    'Grease it more',
    file('lib/hub.js', 'export const hub = 2;\n') + file('lib/turn.js', script(1000)),
  );
  commit('main', 'Bring in the hub', file('lib/hub.js', 'export const hub = 2;\n'), { merge: topic });
  tag('v1.1', mark);
  commit('wip/old', 'Something old', file('OLD', 'old\n'), { from: first });
  child.stdin.end();
  await new Promise((resolve, reject) =>
    child.on('close', (code) => (code ? reject(new Error(`fast-import: ${code}`)) : resolve())),
  );
}
