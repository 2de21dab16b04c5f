// The first page that a stranger reads: its plugin works as it stands, and its pictures are there and small.
import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';
import { compile, runTry, writeCode } from './compile-code.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const tryHello = `
import { startHost } from '@mortise/plugin-sdk/testing';
import hello from './plugin.js';

const host = await startHost({ plugins: ['admin', hello] });
try {
  await host.command('admin user create', { username: 'ada', password: 'correct horse', email: 'ada@example.com' });
  const ada = await host.as({ id: 1, name: 'ada' }).inject('/api/v1/hello');
  console.log(JSON.stringify([ada.json, (await host.inject('/api/v1/hello')).statusCode]));
} finally {
  await host.close();
}
`;

describe('README.md', { timeout: 600_000 }, () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  let folder;
  before(() => {
    folder = writeCode(['README.md'], { 'try.ts': tryHello });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('shows a plugin that compiles under strict and greets the signed-in user', () => {
    const compiled = compile(folder);
    expect(compiled.status, compiled.stdout).to.equal(0);
    expect(runTry(folder)).to.equal([{ hello: 'ada' }, 401]);
  });

  it('shows every picture of docs/pictures in light and dark, together below 1 MB', () => {
    const pictures = readdirSync(join(root, 'docs/pictures')).filter((name) => name.endsWith('.webp'));
    expect(pictures.length).to.equal(8);
    const shown = [...text.matchAll(/(?:src|srcset)="docs\/pictures\/([^"]+)"/g)].map(([, name]) => name);
    expect(shown.toSorted()).to.equal(pictures.toSorted());
    const bytes = pictures.map((name) => statSync(join(root, 'docs/pictures', name)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).to.be.below(1_000_000);
  });

  it('quotes figures that stand in the results of the benchmarks', () => {
    const results = readFileSync(join(root, 'bench/results/both-engines.md'), 'utf8');
    expect(results).to.match(/\| repo get \|.*\| 5069 \|/);
    expect(results).to.match(/\| web: repo home \|.*\| 495 \|/);
    expect(results).to.match(/\| full clone \(bare\) \|.*\| 0\.97× \|/);
    for (const figure of ['5,069', '495', '0.97']) expect(text).to.contain(figure);
  });
});
