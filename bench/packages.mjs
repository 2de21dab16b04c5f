#!/usr/bin/env node
// Measures package registries: publishing into a registry of few and of very many packages, what clients read, large blobs
// down and up; writes bench/results/<name>.md.
//
//   node bench/packages.mjs [--name packages] [--seconds 3] [--few 10] [--many 10000] [--publishes 5] [--mysql ADDRESS]
//     [--blob 64] [--layer 1024] [--only rpm,alpine]
//
// `--blob` and `--layer`: megabytes of what is downloaded and uploaded; `--only`: of the formats, `reading` and `blobs` these
// alone, and no file of results.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { apk } from '../plugins/package-alpine/dist/test/apks.js';
import { pkg } from '../plugins/package-arch/dist/test/packages.js';
import { deb } from '../plugins/package-debian/dist/test/debs.js';
import { rpm } from '../plugins/package-rpm/dist/test/rpms.js';
import { each, insert } from './data.mjs';
import { median, openDatabase, timesOf } from './growth.mjs';
import { load, startYardstick } from './measure.mjs';
import { authorization, makeSite, root, untilUp } from './site.mjs';

const { values: options } = parseArgs({
  options: {
    name: { type: 'string', default: 'packages' },
    seconds: { type: 'string', default: '3' },
    few: { type: 'string', default: '10' },
    many: { type: 'string', default: '10000' },
    publishes: { type: 'string', default: '5' },
    mysql: { type: 'string' },
    blob: { type: 'string', default: '64' },
    layer: { type: 'string', default: '1024' },
    only: { type: 'string' },
  },
});
const sum = (algorithm, bytes, form = 'hex') => createHash(algorithm).update(bytes).digest(form);
const at = '/api/packages/root';
/** The package that is copied; its name stands in whatever is kept of it. */
const seed = 'seedling';

function npmBody(name, version) {
  const data = Buffer.from(`${name} ${version}`);
  const dist = { shasum: sum('sha1', data), integrity: `sha512-${sum('sha512', data, 'base64')}` };
  return JSON.stringify({
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, description: 'a package', dependencies: { other: '^1.0.0' }, dist } },
    _attachments: { [`${name}-${version}.tgz`]: { data: data.toString('base64'), length: data.length } },
  });
}
const json = 'application/json';
const only = options.only?.split(',');
const wants = (what) => !only || only.includes(what);
/** Format → what publishes a package of that name. */
const formats = {
  debian: (name) => ({ path: `${at}/debian/pool/stable/main/upload`, body: deb({ Package: name }) }),
  arch: (name) => ({ path: `${at}/arch/core`, body: pkg({ pkgname: name, pkgbase: name }) }),
  alpine: (name) => ({ path: `${at}/alpine/v3/main`, body: apk({ pkgname: name }).data }),
  rpm: (name) => ({ path: `${at}/rpm/upload`, body: rpm({ name }) }),
  npm: (name) => ({ path: `${at}/npm/${name}`, body: npmBody(name, '1.0.0'), type: json }),
};

/** Format → its index, and how an entry of it begins. */
const indexes = {
  debian: [`${at}/debian/dists/stable/main/binary-all/Packages.gz`, /^Package: /gm],
  arch: [`${at}/arch/core/x86_64/packages.db`, /%FILENAME%/g],
  alpine: [`${at}/alpine/v3/main/x86_64/APKINDEX.tar.gz`, /^P:/gm],
  rpm: [`${at}/rpm/repodata/primary.xml.gz`, /<package /g],
};
async function checkIndex(site, format, count) {
  const [path, entry] = indexes[format];
  const answer = await fetch(site.base + path, { headers: { authorization } });
  const found = gunzipSync(Buffer.from(await answer.arrayBuffer()))
    .toString('latin1')
    .match(entry)?.length;
  if (found !== count) throw new Error(`the index of ${format} has ${found} entries instead of ${count}`);
}

/** What is read is of these two. */
const publishing = Object.fromEntries(
  Object.entries(formats).filter(
    ([format]) => wants(format) || (wants('reading') && ['debian', 'npm'].includes(format)),
  ),
);

async function send(site, { path, body, type = 'application/octet-stream', method = 'PUT' }) {
  const headers = { authorization, 'content-type': type };
  const answer = await fetch(site.base + path, {
    method,
    headers,
    body,
    ...(body instanceof Readable && { duplex: 'half' }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
}

/** Copies of the seed of a format, or of its only version, with what belongs to them: `nameOf(n)` takes its place. */
async function copy(knex, type, count, what, nameOf) {
  const name = what === 'packages' ? seed : 'versions';
  const from = what === 'packages' ? seed : '1.0.0';
  const renamed = (value, n) => (typeof value === 'string' ? value.replaceAll(from, nameOf(n)) : value);
  const copies = (row, n, more) =>
    Object.fromEntries(Object.entries({ ...row, ...more }).map(([key, value]) => [key, renamed(value, n)]));
  const source = await knex('package').where({ type, name }).first();
  const version = await knex('package_version').where({ package_id: source.id }).first();
  const files = await knex('package_file').where({ version_id: version.id });
  const next = async (table) => Number((await knex(table).max({ id: 'id' }))[0].id ?? 0) + 1;
  const [packages, versions, file, property] = [
    await next('package'),
    await next('package_version'),
    await next('package_file'),
    await next('package_property'),
  ];
  if (what === 'packages')
    await insert(
      knex,
      'package',
      each(count, (n) => copies(source, n, { id: packages + n })),
    );
  const packageOf = (n) => (what === 'packages' ? packages + n : source.id);
  const versionOf = (n) => ({ id: versions + n, package_id: packageOf(n) });
  await insert(
    knex,
    'package_version',
    each(count, (n) => copies(version, n, versionOf(n))),
  );
  const ids = new Map(files.map(({ id }, m) => [id, (n) => file + n * files.length + m]));
  const fileOf = (row, n) => copies(row, n, { id: ids.get(row.id)(n), version_id: versions + n });
  await insert(knex, 'package_file', each(count, (n) => files.map((row) => fileOf(row, n))).flat());
  const properties = await knex('package_property').where((query) =>
    query
      .where({ ref_type: 'version', ref_id: version.id })
      .orWhere((other) => other.where('ref_type', 'file').whereIn('ref_id', [...ids.keys()])),
  );
  const propertyOf = (row, n, m) =>
    copies(row, n, {
      id: property + n * properties.length + m,
      ref_id: row.ref_type === 'version' ? versions + n : ids.get(row.ref_id)(n),
    });
  await insert(knex, 'package_property', each(count, (n) => properties.map((row, m) => propertyOf(row, n, m))).flat());
}

const work = mkdtempSync(join(tmpdir(), 'mortise-bench-packages-'));
const port = 4900 + (process.pid % 90);
const lines = [];
const tell = (line) => {
  lines.push(line);
  console.log(line);
};

/** Publishes into a registry of so many packages; gives the site, still running. */
async function publishes(count, shift) {
  const site = await makeSite({ work, port: port + shift, mysql: options.mysql });
  await site.start();
  for (const make of Object.values(publishing)) await send(site, make(seed));
  if (publishing.npm) await send(site, { path: `${at}/npm/versions`, body: npmBody('versions', '1.0.0'), type: json });
  await site.stop();
  const knex = openDatabase(site, options.mysql);
  await knex.transaction(async (all) => {
    for (const type of Object.keys(publishing))
      await copy(all, type, count - 1, 'packages', (n) => `${seed}-${String(n).padStart(5, '0')}`);
    // without them an index is made of all packages again
    await all('package_file').where('name', '.pieces').delete();
    if (shift === 2 && publishing.npm) await copy(all, 'npm', 999, 'versions', (n) => `1.0.${n + 1}`);
  });
  await knex.destroy();
  await site.start();
  const found = {};
  for (const [format, make] of Object.entries(publishing)) {
    // what was put into the tables is in no index yet: one change takes it in
    const [first] = await timesOf(1, () => send(site, make('first')));
    const times = await timesOf(Number(options.publishes), (n) => send(site, make(`next-${n}`)));
    found[format] = { first, next: median(times) };
    if (indexes[format]) await checkIndex(site, format, count + 1 + times.length);
  }
  return { site, found };
}

function tellPublishing() {
  tell(`## Publishing\n\nMilliseconds of a publish, the index included: the median of ${options.publishes}.\n`);
  tell(`The first makes the index of all packages, which were put into the tables.\n`);
  tell(
    `| format | into ${options.few} | into ${options.many} | factor | first of ${options.many} |\n|---|---|---|---|---|`,
  );
  for (const [format, { first, next }] of Object.entries(many.found)) {
    const before = few.found[format].next;
    tell(
      `| ${format} | ${before.toFixed(0)} | ${next.toFixed(0)} | ${(next / before).toFixed(1)} | ${first.toFixed(0)} |`,
    );
  }
}

async function reading() {
  const layer = randomBytes(64 * 1024);
  const digest = `sha256:${sum('sha256', layer)}`;
  await send(site, { method: 'POST', path: `/v2/root/image/blobs/uploads?digest=${digest}`, body: layer });
  const manifestType = 'application/vnd.oci.image.manifest.v1+json';
  const part = { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest, size: layer.length };
  const manifest = { schemaVersion: 2, mediaType: manifestType, config: part, layers: [part] };
  await send(site, { path: '/v2/root/image/manifests/one', body: JSON.stringify(manifest), type: manifestType });

  const yardstick = await startYardstick(port + 9);
  tell('\n## Reading\n\n| operation | request | req/s | % of yardstick | p99 ms | failed |\n|---|---|---|---|---|---|');
  for (const [name, path] of [
    ['npm packument of 1,000 versions', `${at}/npm/versions`],
    [`Debian Packages of ${options.many} entries, packed`, `${at}/debian/dists/stable/main/binary-all/Packages.gz`],
    ['Debian Release', `${at}/debian/dists/stable/InRelease`],
    ['OCI manifest', '/v2/root/image/manifests/one'],
  ]) {
    const url = site.base + path;
    const headers = { authorization, 'accept-encoding': 'gzip' };
    await load(url, headers, 1);
    const { rate, share, p99, bad } = await yardstick.against(() => load(url, headers, Number(options.seconds)));
    tell(`| ${name} | \`${path}\` | ${rate.toFixed(0)} | ${share.toFixed(2)} % | ${p99} | ${bad} |`);
  }
  yardstick.stop();
}

async function blobs() {
  const megabytes = Number(options.blob);
  const blob = join(work, 'blob');
  writeFileSync(blob, randomBytes(megabytes * 1024 * 1024));
  const plain = spawn(process.execPath, [
    '-e',
    `require('http').createServer((q,r)=>{r.writeHead(200,{'content-length':${megabytes * 1024 * 1024}});require('fs').createReadStream(${JSON.stringify(blob)}).pipe(r)}).listen(${port + 8},'127.0.0.1')`,
  ]);
  const plainUrl = `http://127.0.0.1:${port + 8}/`;
  await untilUp(plainUrl);
  await send(site, { path: `${at}/generic/blob/1/blob`, body: readFileSync(blob) });
  const download = (url) => async () => {
    const answer = await fetch(url, { headers: { authorization } });
    for await (const chunk of answer.body) void chunk;
  };
  const times = { plain: [], own: [] };
  for (let n = 0; n < 3; n++) {
    times.plain.push(...(await timesOf(1, download(plainUrl))));
    times.own.push(...(await timesOf(1, download(`${site.base}${at}/generic/blob/1/blob`))));
  }
  plain.kill();
  const ratio = median(times.own) / median(times.plain);
  tell(
    `\n## Large blobs\n\nA download of ${megabytes} MB takes ${ratio.toFixed(2)} times what it takes from a plain file server (goal 1.2).\n`,
  );

  const layerBytes = Number(options.layer) * 1024 ** 2;
  const piece = randomBytes(1024 * 1024);
  const hash = createHash('sha256');
  for (let n = 0; n < layerBytes / piece.length; n++) hash.update(piece);
  let peak = 0;
  const clock = setInterval(() => (peak = Math.max(peak, site.memory())), 50);
  const before = site.memory();
  const [uploaded] = await timesOf(1, () =>
    send(site, {
      method: 'POST',
      path: `/v2/root/large/blobs/uploads?digest=sha256:${hash.digest('hex')}`,
      body: Readable.from(
        (function* () {
          for (let n = 0; n < layerBytes / piece.length; n++) yield piece;
        })(),
      ),
    }),
  );
  clearInterval(clock);
  tell(
    `An upload of a layer of ${options.layer} MB takes ${(uploaded / 1000).toFixed(1)} s; the server had ${before.toFixed(0)} MB before, and at most ${peak.toFixed(0)} MB (goal 250).`,
  );
}

const measuresPublishing = Object.keys(publishing).length > 0;
const few = measuresPublishing && (await publishes(Number(options.few), 1));
if (few) await few.site.close();
const many = await publishes(Number(options.many), 2);
const { site } = many;
if (measuresPublishing) tellPublishing();
if (wants('reading')) await reading();
if (wants('blobs')) await blobs();
await site.close();

const text = `# Benchmark: ${options.name}

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} cores (load ${loadavg()[0].toFixed(1)} at the end), one worker, ${options.mysql ? 'MariaDB' : 'SQLite'}.

${lines.join('\n')}
`;
if (!only) {
  mkdirSync(join(root, 'bench/results'), { recursive: true });
  writeFileSync(join(root, 'bench/results', `${options.name}.md`), text);
}
rmSync(work, { recursive: true, force: true });
process.exit(0);
