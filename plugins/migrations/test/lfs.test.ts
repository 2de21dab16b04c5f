import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { formatPointer, lfsObjects } from '@mortise/lfs/api';
import { base64, send } from '@mortise/repositories/testing';
import { LfsDownload } from '../services/lfs-download.js';
import { startSource, startTarget, type SourceSite } from './support.js';
import { PlayedService, tools } from './played-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const oidOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('objects of LFS in imports', () => {
  let source: SourceSite;
  let host: TestHost;
  let cas: SignedIn;
  const content = 'a large file';
  const oid = oidOf(content);
  before(async () => {
    source = await startSource('mill', ['lfs']);
    const { id } = await source.ask(source.ada, 'GET', '');
    await source.host.services.get(lfsObjects).receive(id, { oid, size: content.length }, Readable.from([content]));
    for (const [path, text] of [
      ['large.bin', formatPointer({ oid, size: content.length })],
      // its object is nowhere
      ['lost.bin', formatPointer({ oid: oidOf('lost'), size: 4 })],
    ] as const)
      await source.ask(source.ada, 'POST', `/contents/${path}`, { content: base64(text), branch: 'main' });
    host = await startTarget();
    cas = await signUp(host, 'cas');
  });
  after(async () => {
    await host?.close();
    await source?.host.close();
  });

  const migrate = async (name: string, body: object) => {
    const made = await send(cas, 'POST', '/repos/migrate', {
      clone_addr: `${source.url}/ada/mill.git`,
      service: 'git',
      repo_name: name,
      ...source.credentials,
      ...body,
    });
    return {
      made,
      found: made.json.id && (await host.services.get(lfsObjects).find(made.json.id, [oid, oidOf('lost')])),
    };
  };

  it('come along where they were asked for; what is lost at the source holds nothing up', async () => {
    const { made, found } = await migrate('with', { lfs: true });
    expect(made.statusCode, made.payload).to.equal(201);
    expect([...found]).to.equal([[oid, content.length]]);
    const raw = await cas.inject('/api/v1/repos/cas/with/media/large.bin');
    expect(raw.payload).to.equal(content);
    const { steps } = (await send(cas, 'GET', '/repos/cas/with/migration')).json;
    expect(steps[0]).to.include({ step: 'code', note: 'LFS objects that the source has not: 1' });
  });

  it('stay where they are where nobody asked for them', async () => {
    const { made, found } = await migrate('without', { lfs: false });
    expect(made.statusCode, made.payload).to.equal(201);
    expect([...found]).to.equal([]);
  });

  it('are refused where their content is another one, or the list of them is an error', async () => {
    const played = new PlayedService(({ path }, url) => {
      if (path.startsWith('/broken')) return { status: 500, body: {} };
      if (path.endsWith('/objects/batch'))
        return { body: { objects: [{ oid, size: content.length, actions: { download: { href: `${url}/file` } } }] } };
      return path === '/file' ? { body: 'a large lie!' } : undefined;
    });
    await played.start();
    try {
      const made = await send(cas, 'POST', '/user/repos', { name: 'lies', auto_init: true });
      const bring = (endpoint: string) => {
        const objects = host.services.get(lfsObjects);
        const missing = async function* () {
          yield { oid, size: content.length };
        };
        const given = { ...objects, missing, receive: objects.receive.bind(objects) } as typeof objects;
        const download = new LfsDownload({ client: tools().client, objects: given, endpoint, credentials: {} });
        const updates = [{ ref: 'refs/heads/main', old: '0'.repeat(40), new: '1'.repeat(40) }];
        return download.bring(made.json.id, updates, new AbortController().signal);
      };
      await expect(bring(`${played.url}/mill.git/info/lfs`)).to.reject();
      await expect(bring(`${played.url}/broken/info/lfs`)).to.reject();
      expect([...(await host.services.get(lfsObjects).find(made.json.id, [oid]))]).to.equal([]);
    } finally {
      await played.stop();
    }
  });
});
