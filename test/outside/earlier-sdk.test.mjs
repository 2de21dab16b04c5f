// Plugins that were built for an earlier SDK and never again run on the server of today.
// Database: SQLite alone; what they ask of the database is what `plugins.test.mjs` tries on MariaDB.
//   MORTISE_TEST_FULL=1   they are added and used; otherwise it is only seen that they are there
import { createServer } from 'node:http';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pluginsBeside } from '../support/plugin-names.mjs';
import { makeInstallation, outsidePlugins, root } from './kit.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const built = join(root, 'test/fixtures/built-plugins');
const releases = readdirSync(built).filter((name) => name.startsWith('sdk-'));
const basic = { authorization: `Basic ${Buffer.from('ada:correct horse').toString('base64')}` };
const json = { ...basic, 'content-type': 'application/json' };

const isFull = Boolean(process.env.MORTISE_TEST_FULL);

/** What the server warned of, but settings of the test kit for plugins that are disabled here. */
const warnings = (site) => {
  const lines = site.log().split('\n').filter(Boolean);
  return lines.filter((line) => JSON.parse(line).event !== 'settings.warning');
};

describe('plugins that were built for an earlier SDK', { timeout: 300_000 }, () => {
  let first;
  before(async () => {
    if (isFull) first = await makeInstallation();
  });
  after(() => first?.close());

  it('are those of every kind, of the first SDK on', () => {
    expect(releases).to.include('sdk-1.0.0');
    for (const release of releases)
      for (const name of outsidePlugins)
        expect(
          readdirSync(join(built, release)).some((file) => file.includes(`plugin-${name}-`)),
          name,
        ).to.be.true();
  });

  for (const release of releases)
    it(`${release}: are added without a warning, and each is used`, { skip: !isFull }, async () => {
      const site = await makeInstallation({ from: first });
      const ask = async (path, { status = 200, ...options } = {}) => {
        const answer = await fetch(site.base + path, { headers: basic, ...options });
        const text = await answer.text();
        expect(answer.status, `${path}: ${text}`).to.equal(status);
        return text;
      };
      const post = (path, body) =>
        ask(path, { method: 'POST', headers: json, body: JSON.stringify(body), status: 201 });
      const called = [];
      const pager = createServer((request, response) => {
        called.push(request.headers['x-pager-key']);
        request.resume().on('end', () => response.end());
      });
      await new Promise((resolve) => pager.listen(0, '127.0.0.1', resolve));
      try {
        site.set('MORTISE__plugins__DISABLED', pluginsBeside('sessions', 'auth-basic', 'package-generic', 'webhooks'));
        site.ok(
          'admin',
          'user',
          'create',
          ...'--username ada --email ada@example.com --password'.split(' '),
          'correct horse',
        );
        const folder = join(built, release);
        // what fills the point of another comes after it
        for (const file of readdirSync(folder).sort(
          (a, b) => Number(a.includes('labels')) - Number(b.includes('labels')),
        ))
          expect(site.ok('plugins', 'add', join(folder, file))).to.contain('added ');
        await site.start();
        expect(warnings(site)).to.equal([]);

        const form = new FormData();
        for (const [key, value] of Object.entries({ ':action': 'file_upload', name: 'toy', version: '1.0.0' }))
          form.append(key, value);
        form.append('content', new Blob(['wheel']), 'toy-1.0.0-py3-none-any.whl');
        await ask('/api/packages/ada/wheels', { method: 'POST', body: form, status: 201 });
        expect(await ask('/api/packages/ada/wheels/simple/toy/')).to.contain('toy-1.0.0-py3-none-any.whl');

        const config = { url: `http://127.0.0.1:${pager.address().port}/`, content_type: 'json', level: 'high' };
        const hook = { type: 'pager', active: true, events: ['package'] };
        await post('/api/v1/user/hooks', { ...hook, config: { ...config, quiet: 'true', repeat: '2', key: 'secret' } });
        await ask('/api/packages/ada/generic/thing/1.0.0/thing.bin', { method: 'PUT', body: 'x', status: 201 });
        while (called.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
        expect(called).to.equal(['secret']);

        expect(JSON.parse(await ask('/api/v1/user', { headers: { 'x-gate-user': 'ada' } })).login).to.equal('ada');

        await post('/api/v1/user/shelf', { title: 'Moby Dick' });
        expect(site.ok('shelf', 'add', '--title', 'The Count of Monte Cristo')).to.contain('book 2 is on the shelf');
        const page = await ask('/shelf', { headers: { 'x-gate-user': 'ada', accept: 'text/html' } });
        expect(page).to.contain('Moby Dick').and.contain('a long title').and.contain('href="/shelf"');
        expect(await ask(/src="(\/assets\/[^"]+\/shelf\.js)"/.exec(page)[1])).to.contain('books');
        const counted = join(site.workDir, 'data/storage/shelf/count');
        while (!existsSync(counted) || readFileSync(counted, 'utf8') !== '2')
          await new Promise((resolve) => setTimeout(resolve, 50));
        expect(warnings(site)).to.equal([]);
      } finally {
        await site.close();
        pager.close();
      }
    });
});
