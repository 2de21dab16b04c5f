// Makes a repository with a real shape by git fast-import: a tree of folders, a README, thousands of commits.
import { spawn, spawnSync } from 'node:child_process';

/** A bare repository at `folder` with `commits` commits over `files` files; branches main and older (200 behind). */
export async function makeRepository(folder, { commits = 6000, files = 400 } = {}) {
  spawnSync('git', ['init', '-q', '--bare', '-b', 'main', folder]);
  const child = spawn('git', ['-C', folder, 'fast-import', '--quiet'], { stdio: ['pipe', 'inherit', 'inherit'] });
  const write = (text) =>
    child.stdin.write(text) ? undefined : new Promise((resolve) => child.stdin.once('drain', resolve));
  const path = (n) => `src/${'abcdefgh'[n % 8]}/part${(n >> 3) % 10}/file${n}.js`;
  const body = (n, round) =>
    `// file ${n}, round ${round}\n${Array.from({ length: 40 }, (_, i) => `export const value${i} = ${(n * 31 + i * 7 + (i % 13 === round % 13 ? round : 0)) % 1009};`).join('\n')}\n`;
  const file = (name, text) => `M 100644 inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
  let time = 1_500_000_000;
  for (let n = 1; n <= commits; n++) {
    time += 3600;
    const author = `Author ${n % 17} <author${n % 17}@example.com> ${time} +0000`;
    const message = `Change number ${n}\n\nA body that says why the change was made.\n`;
    let text = `commit refs/heads/main\nmark :${n}\nauthor ${author}\ncommitter ${author}\ndata ${message.length}\n${message}`;
    if (n > 1) text += `from :${n - 1}\n`;
    else
      text +=
        file('README', `The benchmark's repository\n\n${'A line of text.\n'.repeat(40)}`) +
        file('package.json', '{ "name": "big" }\n');
    if (n <= files) text += file(path(n), body(n, 0));
    else for (let k = 0; k < 3; k++) text += file(path(((n * 7919 + k * 104729) % files) + 1), body(n % files, n + k));
    await write(`${text}\n`);
    if (n === commits - 200) await write(`reset refs/heads/older\nfrom :${n}\n\n`);
  }
  child.stdin.end();
  await new Promise((resolve, reject) =>
    child.on('close', (code) => (code ? reject(new Error(`fast-import: ${code}`)) : resolve())),
  );
  spawnSync('git', ['-C', folder, 'repack', '-adq']);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await makeRepository(process.argv[2], { commits: Number(process.argv[3] ?? 6000) });
}
