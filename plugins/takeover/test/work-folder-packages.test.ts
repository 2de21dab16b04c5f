import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** The work folder of a real server lies beside the project where somebody has put it. */
const archive = fileURLToPath(new URL('../../../../../shared/takeover/sqlite.tar.xz', import.meta.url));
const isThere = existsSync(archive);

const work = () => {
  let host: TestHost;
  let folder: string;
  let first: readonly string[] = [];
  const get = (url: string) => {
    const { sha1 } = JSON.parse(readFileSync(join(folder, 'token.json'), 'utf8')) as { sha1: string };
    const authorization = `Basic ${Buffer.from(`keeper:${sha1}`).toString('base64')}`;
    return host.inject({ url, headers: { authorization } });
  };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-source-'));
    const parts = ['custom', 'data/gitea.db', 'data/packages', 'token.json'];
    execFileSync('tar', ['xf', archive, '-C', folder, ...parts]);
    host = await startHost({
      plugins: [
        'takeover',
        'auth-basic',
        'auth-token',
        'activity',
        'organizations',
        'webhook-gogs',
        'webhook-mortise',
        'package-container',
        'package-debian',
        'package-generic',
        'package-rpm',
      ],
    });
    first = await host.command('takeover', { from: folder });
  });
  after(async () => {
    await host.close();
    rmSync(folder, { recursive: true });
  });

  it('serves packages, indexes with their keys, hooks and feeds, and a second pass changes nothing', async () => {
    expect(first).to.include('packages.signing_keys: 12 read, 12 written, 0 unchanged, 0 removed, 0 skipped');
    expect(first).to.include('activity.activities: 3474 read, 3474 written, 0 unchanged, 0 removed, 0 skipped');
    expect(first).to.include('webhooks.deliveries: 16 read, 16 written, 0 unchanged, 0 removed, 0 skipped');
    expect((await get('/api/packages/keeper/generic/tool/1.1/file.bin')).statusCode).to.equal(200);
    expect((await get('/v2/public-x945dc4x/tool/tags/list')).json.tags).to.not.be.empty();
    const release = (await get('/api/packages/public-xa57ffbx/debian/dists/stable/InRelease')).payload;
    expect(release).to.match(/^-----BEGIN PGP SIGNED MESSAGE-----[^]*main\/binary-amd64\/Packages\.xz/);
    const [hook] = (await get('/api/v1/repos/keeper/kept/hooks')).json;
    expect([hook.id, hook.events]).to.equal([
      37,
      ['push', 'issues', 'issue_assign', 'issue_label', 'issue_milestone', 'issue_comment'],
    ]);
    expect((await get('/api/v1/users/keeper/activities/feeds')).json).to.not.be.empty();
    const second = await host.command('takeover', { from: folder });
    for (const line of second.filter((one) => / read, /.test(one))) expect(line).to.match(/, 0 written, .*, 0 removed/);
  });
};

if (isThere) describe('issue 28: packages, hooks and feeds of a real server', work);
else console.log(`left out: there is no ${archive}`);
