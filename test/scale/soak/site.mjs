// The server under load, with what it talks to: a database, a mail server, a receiver of webhooks and a runner.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '@mortise/plugin-sdk/testing';
import { PostOffice } from '../../../plugins/mail/dist/testing.js';
import { startMariadb } from '../../services/engines.mjs';
import { OurRunner } from '../../support/runners.mjs';
import { startServer } from '../../support/server.mjs';

const probe = pathToFileURL(join(import.meta.dirname, 'heap-probe.mjs')).href;

/** Keep-times of minutes where the settings know them; the other ones are aged by `upkeep.mjs`. */
const retention = {
  MORTISE__queue__KEEP_DONE: '60000',
  MORTISE__session__SESSION_LIFE_TIME: '600',
  MORTISE__webhook__KEEP_DELIVERIES: '20',
  MORTISE__audit__RETENTION_DAYS: '1',
  MORTISE__actions__LOG_RETENTION_DAYS: '1',
  MORTISE__actions__ARTIFACT_RETENTION_DAYS: '1',
  MORTISE__actions_0X2E_cache__RETENTION_DAYS: '1',
  MORTISE__cron_0X2E_archive_cleanup__OLDER_THAN: '3m',
  MORTISE__cron_0X2E_gc_lfs__ENABLED: 'true',
  MORTISE__cron_0X2E_gc_lfs__OLDER_THAN: '3m',
  MORTISE__cron_0X2E_delete_old_system_notices__ENABLED: 'true',
  MORTISE__cron_0X2E_delete_old_system_notices__OLDER_THAN: '3m',
  MORTISE__cron_0X2E_delete_old_actions__ENABLED: 'true',
  MORTISE__cron_0X2E_delete_old_actions__OLDER_THAN: '12m',
};

/** Takes deliveries and forgets them. */
async function startReceiver() {
  const receiver = { count: 0 };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      receiver.count++;
      response.writeHead(204).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${server.address().port}/`;
  receiver.close = () => (server.closeAllConnections(), new Promise((resolve) => server.close(resolve)));
  return receiver;
}

/** An engine of its own, unless there is one already as in a run of tests. */
async function startDatabase(engine) {
  if (engine !== 'mariadb' || process.env.MORTISE_TEST_MYSQL) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'mortise-soak-engine-'));
  const { url, child } = await startMariadb(folder);
  process.env.MORTISE_TEST_MYSQL = url;
  return {
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** `engine`: sqlite or mariadb. Gives the running site, see its last lines. */
export async function startSite({ engine }) {
  const database = await startDatabase(engine);
  process.env.MORTISE_TEST_ENGINE = engine === 'mariadb' ? 'mysql' : 'sqlite';
  const mails = { count: 0 };
  const post = await PostOffice.start();
  const receiver = await startReceiver();
  const sshPort = await freePort();
  const probes = mkdtempSync(join(tmpdir(), 'mortise-soak-probes-'));
  const mailer = Object.entries(post.settings).map(([key, value]) => [`MORTISE__mailer__${key}`, String(value)]);
  const server = await startServer({
    workers: 2,
    fresh: true,
    settings: {
      ...retention,
      ...Object.fromEntries(mailer),
      MORTISE__service__ENABLE_NOTIFY_MAIL: 'true',
      MORTISE__server__SSH_PORT: String(sshPort),
      MORTISE__log__MODE: 'console,file',
      MORTISE__log__LEVEL: 'info',
      MORTISE__log_0X2E_console__LEVEL: 'warn',
      MORTISE__log_0X2E_file__MAX_SIZE_SHIFT: '18',
      // so that caches are full within minutes, and what grows afterwards is something else
      MORTISE__cache__MAX_BYTES: String(8 << 20),
      MORTISE__repository__PACK_CACHE_SIZE: '2',
      NODE_OPTIONS: `--import=${probe}`,
      MORTISE_SOAK_PROBES: probes,
    },
  });
  mkdirSync(join(server.folder, 'client'), { recursive: true });
  const runner = (await new OurRunner(server, 'runner', { capacity: 2 }).register()).start();
  return {
    server,
    engine,
    sshPort,
    probes,
    base: server.base,
    receiver: receiver.url,
    /** Messages that came over WebSockets. */
    liveMessages: 0,
    /** Webhooks that came. */
    get delivered() {
      return receiver.count;
    },
    /** Mails that came until now; forgets them. */
    takeMails() {
      mails.count += post.mails.splice(0).length;
      return mails.count;
    },
    async close() {
      await runner.stop();
      await server.close();
      await Promise.all([post.close(), receiver.close(), database?.stop()]);
      rmSync(probes, { recursive: true, force: true });
    },
  };
}
