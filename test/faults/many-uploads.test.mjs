// Many uploads into registries of four formats (PKG-02, PKG-07, PKG-13), into two workers: a hundred versions of one package
// at once, and a hundred packages while the server is killed (SIGKILL to its whole group) at random moments. What was
// acknowledged is there and whole, what is listed is whole, indexes are right, and after the nightly job nothing lies in the
// storage that no package has.
// Time: about 100 s
// Load: sleeps
//
//   MORTISE_TEST_FULL=1   5 kills instead of 3
import { createRequire } from 'node:module';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { registriesOf } from '../support/registries.mjs';
import { root, startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const kills = Number(process.env.MORTISE_FAULT_ROUNDS ?? (process.env.MORTISE_TEST_FULL ? 5 : 3));
/** A seeded generator, so that a failing run can be repeated with the same kill moments. */
const seed = Number(process.env.MORTISE_FAULT_SEED ?? Date.now() % 100_000);
let state = seed;
const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const authorization = `Basic ${Buffer.from('root:password').toString('base64')}`;
const each = 25;
const atOnce = 5;

/** Rows of the server's database, whichever it is. */
async function query(server, sql) {
  const name = server.env.MORTISE__database__NAME;
  const require = createRequire(join(root, 'core/package.json'));
  if (!name) {
    const Database = require('better-sqlite3');
    const database = new Database(join(server.env.MORTISE_WORK_DIR, 'data/mortise.db'), { readonly: true });
    const rows = database.prepare(sql).all();
    database.close();
    return rows;
  }
  const { hostname: host, port } = new URL(process.env.MORTISE_TEST_MYSQL);
  const connection = await require('mysql2/promise').createConnection({
    host,
    port: Number(port),
    user: 'root',
    database: name,
  });
  const [rows] = await connection.query(sql);
  await connection.end();
  return rows;
}

describe(`many uploads (seed ${seed})`, { timeout: 1_800_000 }, () => {
  let server;
  before(async () => {
    server = await startServer({
      workers: 2,
      plugins: ['package-npm', 'package-debian', 'package-cargo', 'package-container', 'admin'],
      settings: { MORTISE__cron_0X2E_cleanup_packages__OLDER_THAN_HOURS: '0' },
    });
  });
  after(() => server?.close());

  const call = async (method, path, { body, type = 'application/octet-stream' } = {}) => {
    const headers = { authorization, ...(body && { 'content-type': type }) };
    const answer = await fetch(server.base + path, { method, headers, body });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  };

  it('of a hundred versions of one package at once are all there, in each format', async () => {
    const versions = Array.from({ length: 100 }, (_, n) => `2.0.${n}`);
    for (const [format, registry] of Object.entries(registriesOf(call, { name: 'heap' }))) {
      const answers = await Promise.all(versions.map((version) => registry.put(version)));
      expect(
        answers.filter((isThere) => !isThere),
        format,
      ).to.equal([]);
      expect([...(await registry.versions())].sort(), format).to.equal([...versions].sort());
    }
  });

  it(`of ${4 * each} versions are all there after ${kills} kills, and nothing else is`, async () => {
    const registries = registriesOf(call);
    const waiting = Object.keys(registries)
      .flatMap((format) => Array.from({ length: each }, (_, n) => [format, `1.0.${n}`]))
      .map((upload) => [random(), upload])
      .sort(([one], [other]) => one - other)
      .map(([, upload]) => upload);
    const acknowledged = new Map(Object.keys(registries).map((format) => [format, []]));
    const count = () => [...acknowledged.values()].flat().length;

    /** Until it is acknowledged: a client that hears nothing tries again. */
    const upload = async ([format, version]) => {
      while (!(await registries[format].put(version).catch(() => false))) await pause(50);
      acknowledged.get(format).push(version);
    };
    const uploaders = Array.from({ length: atOnce }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await upload(next);
    });

    for (let kill = 1; kill <= kills; kill++) {
      const moment = ((kill - random()) / kills) * 4 * each * 0.9;
      while (count() < moment) await pause(5);
      await pause(random() * 100);
      await server.kill();
      const known = [...acknowledged].map(([format, versions]) => [format, [...versions]]);
      await server.start();
      for (const [format, versions] of known) {
        const found = await registries[format].versions();
        const missing = versions.filter((version) => !found.includes(version));
        expect(missing, `kill ${kill}: ${format}`).to.equal([]);
      }
    }
    await Promise.all(uploaders);

    // what a killed process had noted is built by a job, or by the first who reads
    const isSettled = async () => (await query(server, 'select id from package_index_mark')).length === 0;
    for (let tries = 0; tries < 600 && !(await isSettled()); tries++) {
      await registries.debian.versions();
      await pause(200);
    }
    for (const [format, versions] of acknowledged)
      expect([...(await registries[format].versions())].sort(), format).to.equal([...versions].sort());

    await server.api('POST', '/admin/cron/cleanup_packages');
    const stored = () =>
      readdirSync(join(server.env.MORTISE_WORK_DIR, 'data/storage/packages'), { recursive: true })
        .map((path) => /(?:^|\/)([0-9a-f]{64})$/.exec(path)?.[1])
        .filter(Boolean)
        .sort();
    const belonging = async () =>
      (await query(server, 'select distinct b.sha256 from package_blob b join package_file f on f.blob_id = b.id')).map(
        ({ sha256 }) => sha256,
      );
    /** Folders that become empty go too, while they are looked at. */
    const isSwept = async () => {
      const { length } = await Promise.resolve()
        .then(stored)
        .catch(() => []);
      return (
        length === (await belonging()).length && (await query(server, 'select id from package_blob')).length === length
      );
    };
    for (let tries = 0; tries < 300 && !(await isSwept()); tries++) await pause(200);
    expect(stored()).to.equal((await belonging()).sort());
    for (const [format, versions] of acknowledged)
      expect(await registries[format].versions(), format).to.have.length(versions.length);
    const doctor = server.cli('doctor');
    expect(doctor.code, doctor.out + doctor.err).to.equal(0);
  });
});
