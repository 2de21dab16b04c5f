// A server that reads searches and lists from a replica of its database, with a real MariaDB and a replica of it. Nobody
// misses what was just written, also while the replica is behind or gone.
// Time: about 15 s
// Database: SQLite alone (it brings its own)
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createConnection } from 'mysql2/promise';
import { scratchFolder, startMariadb } from '../services/engines.mjs';
import { has } from '../services/install.mjs';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const isInstalled = has('mariadbd');

describe('a replica of the database', { timeout: 300_000, skip: !isInstalled }, () => {
  const folders = [];
  let primary;
  let replica;
  let server;
  const open = (engine) => createConnection({ uri: engine.url, multipleStatements: true });
  before(async () => {
    const start = (id) => {
      const own = mkdtempSync(join(scratchFolder(), 'mortise-replica-'));
      folders.push(own);
      return startMariadb(own, ['--log-bin=bin', '--binlog-format=row', `--server-id=${id}`, '--gtid-strict-mode=1']);
    };
    [primary, replica] = await Promise.all([start(1), start(2)]);
    const { port } = new URL(primary.url);
    primary.sql = await open(primary);
    await primary.sql.query('create database mortise_replicated');
    replica.sql = await open(replica);
    await replica.sql.query(
      `change master to master_host = '127.0.0.1', master_port = ${port}, master_user = 'root', master_use_gtid = slave_pos; start slave`,
    );
    server = await startServer({
      plugins: ['issues', 'search', 'activity'],
      fresh: true,
      settings: {
        MORTISE__database__DB_TYPE: 'mysql',
        MORTISE__database__HOST: new URL(primary.url).host,
        MORTISE__database__NAME: 'mortise_replicated',
        MORTISE__database__USER: 'root',
        MORTISE__database__PASSWD: '',
        MORTISE__database__REPLICA_HOSTS: new URL(replica.url).host,
        MORTISE__database__REPLICA_MAX_DELAY: '500ms',
      },
    });
  });
  after(async () => {
    await server?.close();
    for (const engine of [primary, replica]) {
      engine?.sql?.destroy();
      engine?.child.kill('SIGKILL');
    }
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /** Statements that read, which the replica has taken. */
  const reads = async () => {
    const [[row]] = await replica.sql.query("show global status like 'Com_select'");
    return Number(row.Value);
  };
  let made = 0;
  /** Makes repositories and issues, and searches for each at once. */
  const writeAndSearch = async (times) => {
    for (let n = 0; n < times; n++) {
      const name = `wheel-${++made}`;
      expect((await server.api('POST', '/user/repos', { body: { name } })).status).to.equal(201);
      const found = await server.api('GET', `/repos/search?q=${name}`);
      expect(found.json.data.map((one) => one.name)).to.equal([name]);
      const body = { title: `Word${made}` };
      expect((await server.api('POST', `/repos/root/${name}/issues`, { body })).status).to.equal(201);
      const issues = await server.api('GET', `/repos/issues/search?q=Word${made}`);
      expect(issues.json.map(({ title }) => title)).to.equal([body.title]);
      const feed = await server.api('GET', '/users/root/activities/feeds');
      expect(feed.status).to.equal(200);
    }
  };

  it('answers searches, with what was written right before', async () => {
    const before = await reads();
    await writeAndSearch(8);
    expect((await reads()) - before).to.be.above(20);
  });

  it('is left out while it is behind, and nobody sees what was before', async () => {
    await replica.sql.query('stop slave sql_thread');
    await writeAndSearch(2);
    await replica.sql.query('start slave sql_thread');
    // it catches up, and is asked again
    const before = await reads();
    for (const end = Date.now() + 20_000; Date.now() < end && (await reads()) < before + 20;) await writeAndSearch(1);
    expect(await reads()).to.be.above(before + 19);
  });

  it('may go: the primary answers, and the log says so once', async () => {
    const gone = new Promise((resolve) => replica.child.on('exit', resolve));
    replica.sql.destroy();
    replica.child.kill('SIGKILL');
    await gone;
    await writeAndSearch(3);
    expect(server.log.split('"database.replica.down"').length - 1).to.equal(1);
  });
});
