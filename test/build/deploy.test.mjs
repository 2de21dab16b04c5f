// Files for operators: what they name is there. Nobody builds the image in a test run, so a moved file would show late.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';

export const lab = Lab.script();
const { describe, it } = lab;

const root = fileURLToPath(new URL('../../', import.meta.url));
const deploy = join(root, 'config/deploy');
const read = (name) => readFileSync(join(deploy, name), 'utf8');
const isThere = (path, from = root) => expect(existsSync(resolve(from, path)), path).to.be.true();
const program = 'core/bin/mortise.mjs';

/** `[section] KEY` of every setting there is. */
function settings() {
  const known = new Set();
  let section = '';
  for (const line of readFileSync(join(root, 'config/settings.md'), 'utf8').split('\n')) {
    section = /^## \[(.+)\]$/.exec(line)?.[1] ?? section;
    const key = /^\| `([A-Z][A-Z0-9_]*)` \|/.exec(line)?.[1];
    if (key) known.add(`[${section}] ${key}`);
  }
  return known;
}

describe('files for operators', () => {
  const dockerfile = read('Dockerfile').replace(/\\\n\s*/g, '');
  const lines = dockerfile.split('\n');
  const after = (word) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const compose = read('compose.yaml');
  const unit = read('mortise.service');

  it('the image runs a Node.js that Mortise runs on, with the programs that it calls', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const oldest = Number(/\d+/.exec(engines.node)[0]);
    const images = after('FROM').map((line) => /^node:(\d+)/.exec(line)?.[1]);
    expect(new Set(images).size, 'libraries are compiled for the Node.js that runs them').to.equal(1);
    expect(Number(images[0])).to.be.at.least(oldest);
    for (const name of ['git', 'gnupg', 'openssh-client', 'ca-certificates', 'tini'])
      expect(dockerfile).to.match(new RegExp(`apt-get install .*\\b${name}\\b`));
  });

  it('the image starts what is there, from where it was copied to, and not as root', () => {
    const [home] = after('WORKDIR');
    expect(after('WORKDIR')).to.equal([home, home]);
    expect(after('COPY')).to.equal(['. .', `--from=build ${home} ${home}`]);
    const [entry] = after('ENTRYPOINT').map((text) => JSON.parse(text));
    expect(entry.at(-1)).to.equal(program);
    isThere(program);
    expect(after('USER')).to.equal(['node']);
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const [, script] of dockerfile.matchAll(/npm run (\S+)/g)) expect(scripts[script], script).to.be.a.string();
    const [volume] = after('VOLUME');
    expect(dockerfile).to.contain(`MORTISE_WORK_DIR=${volume}`).and.contain(`chown node:node ${volume}`);
    expect(compose).to.contain(`mortise:${volume}`);
    const [check] = dockerfile.match(/HEALTHCHECK .*/);
    expect(JSON.parse(check.slice(check.indexOf('[')))).to.equal(['node', program, 'health']);
  });

  it('O7: what the image takes away leaves what runs, also in libraries', () => {
    const step = after('RUN').find((line) => line.startsWith('rm -rf test bench docs'));
    const folder = mkdtempSync(join(tmpdir(), 'mortise-image-'));
    const kept = [
      'package.json',
      'core/bin/mortise.mjs',
      'core/dist/host.js',
      'core/dist/host.d.ts',
      'core/node_modules/a/test/needed.js',
      'node_modules/b/index.ts',
      'plugins/a/README.md',
      'plugins/a/dist/plugin.js',
      'plugins/a/node_modules/c/CHANGELOG.md',
    ];
    const gone = [
      'test/run.mjs',
      'bench/run.mjs',
      'docs/architecture.md',
      'core/dist/test/host.test.js',
      'core/src/host.ts',
      'plugins/a/CHANGELOG.md',
      'plugins/a/dist/plugin.js.map',
      'plugins/a/pages/view.tsx',
      'plugins/a/tsconfig.json',
      'migrations/dist/test/all.js',
    ];
    for (const path of [...kept, ...gone, 'plugin-sdk/dist/index.js']) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    const { status, stderr } = spawnSync('sh', ['-ec', step], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).to.equal([0, '']);
    for (const path of kept) expect(existsSync(join(folder, path)), path).to.be.true();
    for (const path of gone) expect(existsSync(join(folder, path)), path).to.be.false();
    rmSync(folder, { recursive: true });
  });

  it('what is left out of the image is not needed to build it', () => {
    const left = read('Dockerfile.dockerignore').trim().split('\n');
    expect(left).to.include(['**/node_modules', '**/dist', '.git']);
    for (const kept of ['package.json', 'package-lock.json', 'core', 'plugin-sdk', 'plugins', 'migrations'])
      if (existsSync(join(root, kept))) expect(left).to.not.include(kept);
  });

  it('compose builds from the root of the repository', () => {
    const context = /context: (\S+)/.exec(compose)[1];
    expect(resolve(deploy, context)).to.equal(dirname(join(root, 'package.json')));
    isThere(/dockerfile: (\S+)/.exec(compose)[1], resolve(deploy, context));
    for (const port of after('EXPOSE')[0].split(' ')) expect(compose).to.contain(`'${port}:${port}'`);
  });

  it('settings that they name exist', () => {
    const known = settings();
    expect(known.size).to.be.above(100);
    const named = `${dockerfile}\n${compose}\n${unit}`;
    const used = [...named.matchAll(/MORTISE__([a-z.-]+)__([A-Z0-9_]+)/g)].map(
      ([, section, key]) => `[${section}] ${key}`,
    );
    const told = [...named.matchAll(/^\s*#.*/gm)].flatMap(([line]) =>
      [...line.matchAll(/\[[a-z.-]+\] [A-Z_]+/g)].flat(),
    );
    expect(used).to.have.length(7);
    expect([...used, ...told].filter((one) => !known.has(one))).to.equal([]);
  });

  it('the unit of systemd starts the same program with the same folder', () => {
    expect(unit).to.contain(`ExecStart=/usr/bin/node ${program} web`);
    const work = /MORTISE_WORK_DIR=(\S+)/.exec(unit)[1];
    expect(unit)
      .to.contain(`ReadWritePaths=${work}`)
      .and.contain(`StateDirectory=${work.replace('/var/lib/', '')}`);
  });
});
