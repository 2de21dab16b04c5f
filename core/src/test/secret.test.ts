import { fork } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { createHost } from '../host.js';
import { storedSecret, secretFile } from '../settings/secret.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

describe('F7: the secret of the installation', () => {
  let workDir: string;
  let file: string;
  beforeEach(() => {
    workDir = mkdtempSync(join(tmpdir(), 'mortise-secret-'));
    file = secretFile(workDir);
    mkdirSync(dirname(file));
  });
  afterEach(() => rmSync(workDir, { recursive: true, force: true }));

  it('is made once, whole, and for its owner only', () => {
    const secret = storedSecret(workDir);
    expect(secret.length).to.equal(32);
    expect(storedSecret(workDir)).to.equal(secret);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readdirSync(dirname(file))).to.equal(['secret']);
  });

  it('is the same for all processes that make it at once', async () => {
    const code = join(workDir, 'make.mjs');
    const module = new URL('../settings/secret.js', import.meta.url).href;
    writeFileSync(
      code,
      `import { storedSecret } from ${JSON.stringify(module)};
       process.on('message', () => { process.send(storedSecret(${JSON.stringify(workDir)}).toString('hex')); process.disconnect(); });
       process.send('ready');`,
    );
    const children = Array.from({ length: 4 }, () => fork(code));
    await Promise.all(children.map((child) => new Promise((resolve) => child.once('message', resolve))));
    const made = await Promise.all(
      children.map((child) => new Promise((resolve) => (child.once('message', resolve), child.send('go')))),
    );
    expect(new Set(made).size).to.equal(1);
    expect(made[0]).to.equal(readFileSync(file, 'utf8').trim());
  });

  for (const [what, content] of [
    ['empty', ''],
    ['only a line end', '\n'],
    ['short', 'abcdef'],
    ['cut off', '0123456789abcdef'.repeat(4).slice(0, 63)],
    ['zeros of a disk', '\0'.repeat(65)],
    ['words', 'correct horse battery staple correct horse battery staple correct horse'],
  ] as const) {
    it(`is refused at the start when it is ${what}`, async () => {
      writeFileSync(file, content);
      chmodSync(file, 0o600);
      expect(() => storedSecret(workDir)).to.throw(/config\/secret is (empty|damaged): bring it back from a back-up/);
      const host = await createHost({ workDir, environment: {}, plugins: [], logLevel: 'none' });
      await expect(host.start()).to.reject(/cannot start: the secret/);
      await host.stop();
      // Nothing was made in its place.
      expect(readFileSync(file, 'utf8')).to.equal(content);
    });
  }

  it('is not asked for where a setting gives it', async () => {
    writeFileSync(file, '');
    const settings = { security: { SECRET_KEY: 'a key for all nodes' } };
    const host = await createHost({ workDir, environment: {}, settings, plugins: [], logLevel: 'none' });
    await host.start({ background: false });
    expect(host.site.secret('test').length).to.equal(32);
    await host.stop();
  });
});
