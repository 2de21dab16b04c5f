// O6: workers whose plugins cannot start any more are not started without end.
// Database: SQLite alone (what is looked at are processes)
// Load: sleeps
// Time: about 30 s: five starts, and the pauses between them
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const childrenOf = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

describe('a plugin that cannot start any more', { timeout: 1_200_000 }, () => {
  let server;
  before(async () => {
    server = await startServer({
      workers: 2,
      start: false,
      fresh: true,
      admin: false,
      settings: { MORTISE__plugins__ENABLED: 'moody' },
    });
    const folder = join(server.env.MORTISE_WORK_DIR, 'plugins', 'moody');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'moody', version: '1.0.0', type: 'module', mortise: { plugin: './plugin.mjs' } }),
    );
    writeFileSync(
      join(folder, 'plugin.mjs'),
      `import { existsSync } from 'node:fs';
      import { createServer } from 'node:net';
      import { definePlugin } from '@mortise/plugin-sdk';
      export default definePlugin({
        name: 'moody', version: '1.0.0', sdk: '^1.0.0',
        register: (plugin) => plugin.onStart({}, async () => {
          // a port of its own, as that of SSH, is open before the start fails: it doesn't count as a start
          await new Promise((resolve) => createServer().listen(0, '127.0.0.1', resolve));
          if (existsSync(${JSON.stringify(join(server.folder, 'moody'))})) throw new Error('not today');
        }),
      });`,
    );
    await server.start();
  });
  after(() => server?.close());

  it('ends the server after a few workers in a row that could not start', async () => {
    writeFileSync(join(server.folder, 'moody'), '');
    for (const pid of childrenOf(server.pid)) process.kill(pid, 'SIGKILL');
    for (const end = Date.now() + 900_000; !server.death && Date.now() < end;)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.death, server.log.slice(-3000)).to.equal('the server ended by itself with 1');
    expect(server.log).to.contain('not today').and.contain('workers keep failing to start; starting no more');
  });
});
