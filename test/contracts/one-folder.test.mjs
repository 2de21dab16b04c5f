// A plugin is one folder: nothing outside of it lists plugins, so a new registry format is one folder and nothing else.
// Database: SQLite alone, as loading a plugin has nothing to do with the database.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { tsc } from '../../core/bin/compiler.mjs';
import { writeSkeleton } from '../../core/dist/cli/new-plugin.js';
import { root, startServer } from '../support/server.mjs';
import { trackedFiles } from '../support/tracked-files.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const plugins = readdirSync(join(root, 'plugins')).filter((name) =>
  existsSync(join(root, 'plugins', name, 'package.json')),
);
const withoutComments = (text) => text.replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*/g, '');
/** The kernel, the SDK and what builds, runs and ships all of it. Their documents and tests may take examples. */
const isShared = (path) =>
  /^(?:core|plugin-sdk|migrations|config\/deploy)\/|^[^/]+$/.test(path) &&
  !/^\.oxlintrc|\/test\/|\/testing\/|\/cli\/templates\/|\.md$|^package-lock\.json$/.test(path);
const basic = { authorization: `Basic ${Buffer.from('root:password').toString('base64')}` };

describe('a plugin', { timeout: 300_000 }, () => {
  it('is named by nothing outside of its folder that would have to change for another', () => {
    const files = trackedFiles()?.filter((path) => isShared(path) && existsSync(join(root, path)));
    if (!files) return;
    expect(files.length).to.be.above(300);
    const listed = new RegExp(`(?:plugins/|@mortise/)(${plugins.join('|')})(?![\\w-])`, 'g');
    const found = files.flatMap((path) =>
      [...withoutComments(readFileSync(join(root, path), 'utf8')).matchAll(listed)].map(([name]) => `${path}: ${name}`),
    );
    expect(found).to.equal([]);
  });

  it('is built after every plugin that it or its tests import, as its tsconfig.json says', () => {
    const referred = new Map(
      plugins.map((name) => {
        const { references } = JSON.parse(readFileSync(join(root, 'plugins', name, 'tsconfig.json'), 'utf8'));
        return [name, references.map(({ path }) => path.split('/').at(-1))];
      }),
    );
    const builtBefore = (name, seen = new Set()) => {
      for (const other of referred.get(name) ?? []) if (!seen.has(other)) builtBefore(other, seen.add(other));
      return seen;
    };
    const missing = new Set();
    for (const path of trackedFiles('plugins/*.ts', 'plugins/*.tsx') ?? []) {
      if (!existsSync(join(root, path))) continue;
      const [, name] = path.split('/');
      for (const [, other] of readFileSync(join(root, path), 'utf8').matchAll(/ from '@mortise\/([\w-]+)/g))
        if (plugins.includes(other) && other !== name && !builtBefore(name).has(other))
          missing.add(`${name}: ${other}`);
    }
    expect([...missing]).to.equal([]);
  });

  it('of a format is named by no other plugin either', () => {
    const formats = plugins.filter((name) => /^package-/.test(name));
    expect(formats.length).to.be.above(20);
    const files = trackedFiles('plugins/*.ts', 'plugins/*.tsx', 'plugins/*.json')?.filter((path) =>
      existsSync(join(root, path)),
    );
    const named = new RegExp(`(?<![\\w-])(${formats.join('|')})(?![\\w-])`, 'g');
    const found = (files ?? [])
      .filter((path) => !/\/test\/|\/package-[a-z]+\//.test(path))
      .flatMap((path) =>
        [...readFileSync(join(root, path), 'utf8').matchAll(named)].map(([name]) => `${path}: ${name}`),
      );
    expect(found).to.equal([]);
  });
});

describe('a new registry format', { timeout: 300_000 }, () => {
  let workspace;
  let folder;
  let server;
  const address = (path) => `${server.base}/api/packages/root/toys${path}`;

  before(() => {
    workspace = mkdtempSync(join(tmpdir(), 'mortise-workspace-'));
    mkdirSync(join(workspace, 'plugins'));
    copyFileSync(join(root, 'tsconfig.base.json'), join(workspace, 'tsconfig.base.json'));
    for (const path of ['node_modules', 'plugin-sdk', ...plugins.map((name) => `plugins/${name}`)])
      symlinkSync(join(root, path), join(workspace, path));
    folder = join(workspace, 'plugins/package-toys');
    writeSkeleton('package-format', 'toys', folder);
  });
  after(async () => {
    await server?.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  it('is built after what it uses once it lies in plugins/', () => {
    const { references } = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8'));
    expect(references.map(({ path }) => path)).to.equal(['../../plugin-sdk', '../packages']);
    const built = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', cwd: workspace });
    expect(built.stdout + built.stderr).to.equal('');
  });

  it('is loaded and serves uploads and downloads', async () => {
    server = await startServer({
      plugins: ['packages'],
      settings: { MORTISE__plugins__PATHS: folder, MORTISE__packages__LIMIT_SIZE_TOYS: '100' },
    });
    const content = 'a bear of plush';
    const put = await fetch(address('/bear/1.0.0'), { method: 'PUT', headers: basic, body: content });
    expect(put.status, await put.text()).to.equal(201);
    const got = await fetch(address('/bear/1.0.0'), { headers: basic });
    expect([got.status, await got.text()]).to.equal([200, content]);
    expect(await (await fetch(address('/bear'), { headers: basic })).json()).to.equal({
      name: 'bear',
      versions: ['1.0.0'],
    });
  });

  it('has pages, an entry in the API, and a setting that limits its files', async () => {
    const { json } = await server.api('GET', '/packages/root?type=toys');
    expect(json.map(({ type, name, version }) => [type, name, version])).to.equal([['toys', 'bear', '1.0.0']]);
    const page = await fetch(`${server.base}/root/-/packages/toys/bear/1.0.0`, { headers: basic });
    expect([page.status, (await page.text()).includes('api/packages/root/toys/bear/1.0.0')]).to.equal([200, true]);
    expect(server.cli('plugins', 'info', 'package-toys').out).to.contain('[packages] LIMIT_SIZE_TOYS');
    const user = await server.api('POST', '/admin/users', {
      body: { username: 'ada', email: 'ada@example.com', password: 'correct horse', must_change_password: false },
    });
    expect(user.status, user.text).to.equal(201);
    const ada = { authorization: `Basic ${Buffer.from('ada:correct horse').toString('base64')}` };
    const upload = (size) =>
      fetch(`${server.base}/api/packages/ada/toys/bear/1.0.${size}`, {
        method: 'PUT',
        headers: ada,
        body: 'x'.repeat(size),
      });
    expect([(await upload(101)).status, (await upload(100)).status]).to.equal([403, 201]);
  });
});
