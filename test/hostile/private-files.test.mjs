// What the server writes is for its own user alone: other users of the machine are strangers.
// Database: SQLite alone; MariaDB has its files elsewhere.
// Time: about 20 s
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Everything below that somebody else may read, write or enter. */
function* open(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) continue;
    if (lstatSync(path).mode & 0o077) yield path;
    if (entry.isDirectory()) yield* open(path);
  }
}

describe('S11: files of the server', { timeout: 300_000 }, () => {
  let server;
  const umask = process.umask();
  before(async () => {
    // as most systems have it
    process.umask(0o022);
    server = await startServer({ workers: 2, fresh: true });
  });
  after(async () => {
    process.umask(umask);
    await server?.close();
  });

  it('are readable by nobody else, whatever they are made by; hooks of git run all the same', async () => {
    const made = await server.api('POST', '/user/repos', { body: { name: 'quiet', auto_init: true } });
    expect(made.status).to.equal(201);
    const folder = mkdtempSync(join(tmpdir(), 'mortise-quiet-'));
    try {
      const git = async (...args) => {
        const { code, err } = await server.git(args, { cwd: folder });
        expect(code, err).to.equal(0);
      };
      await git('clone', '-q', `${server.base}/root/quiet.git`, '.');
      writeFileSync(join(folder, 'a'), 'a'.repeat(100_000));
      await git('add', '.');
      await git('commit', '-qm', 'More');
      await git('tag', 'v1');
      await git('push', '-q', 'origin', 'HEAD', 'v1');
      // the hook saw the push: its event is there
      const branch = await server.api('GET', '/repos/root/quiet/branches/main');
      expect(branch.json.commit.message).to.equal('More\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    const release = await server.api('POST', '/repos/root/quiet/releases', { body: { tag_name: 'v1' } });
    const file = await server.api('POST', `/repos/root/quiet/releases/${release.json.id}/assets?name=a.bin`, {
      body: 'bytes',
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(file.status).to.equal(201);
    expect((await server.api('GET', `${server.base}/root/quiet/archive/main.zip`)).status).to.equal(200);
    const put = await server.api('PUT', `${server.base}/api/packages/root/generic/thing/1.0/x.bin`, { body: 'bytes' });
    expect(put.status).to.equal(201);
    const { MORTISE_WORK_DIR: workDir } = server.env;
    expect([...open(workDir)]).to.equal([]);
    expect(lstatSync(workDir).mode & 0o077).to.equal(0);
  });

  it('doctor sees a work folder that is open, and closes it', async () => {
    const { MORTISE_WORK_DIR: workDir } = server.env;
    chmodSync(workDir, 0o755);
    expect(server.cli('doctor').out).to.match(/other users of this machine may look/);
    server.cli('doctor', '--fix');
    expect(lstatSync(workDir).mode & 0o777).to.equal(0o700);
    expect(server.cli('doctor').out).to.not.match(/other users of this machine/);
  });
});
