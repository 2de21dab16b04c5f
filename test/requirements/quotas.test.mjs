// Quotas at every operation that stores: an owner whose quota is used up is refused with 413 wherever content comes in. An
// operation that takes files or large bodies and is not listed here fails the test, so that new ones are thought of; so does
// new code that writes into the storage. Registries are asked by the kit of package formats, pushes in the tests of `quota`.
// Time: about 15 s
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createAccount } from '@mortise/accounts/testing';
import { runtimeTokens } from '@mortise/actions/api';
import { makeTask } from '@mortise/actions/testing';
import { formPost, multipart, startHost } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { startSite } from '../authorization/site.mjs';
import { root } from '../support/server.mjs';
import { pluginNames } from '../support/plugin-names.mjs';
import { trackedFiles } from '../support/tracked-files.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const api = '/api/v1/repos/ada/shop';
const base64 = (text) => Buffer.from(text).toString('base64');
const file = (name, fields = {}) =>
  multipart([
    ...Object.entries(fields).map(([key, value]) => ({ name: key, value })),
    { name, value: 'content', fileName: 'a.txt' },
  ]);
const artifactService = '/twirp/github.actions.results.api.v1.ArtifactService';
const pipelines = '/api/actions_pipeline/_apis';

/** Operations that take files or large bodies and store nothing of an owner's, or nothing that is counted. */
const storesNothing = {
  'POST /user/settings/avatar': 'pictures of accounts have a limit of their own',
  'POST /org/{org}/settings/avatar': 'the same',
  'POST /{owner}/{repo}/settings/avatar': 'the same',
  'POST /{owner}/{repo}/milestones/import': 'rows of the database',
  'POST /api/v1/repos/{owner}/{repo}/milestones.json': 'the same',
  'POST /api/v1/admin/plugins/files': 'plugins belong to the server',
  'POST /-/admin/plugins/install': 'the same',
  'POST /{owner}/{repo}/git-upload-pack': 'reads',
  'POST /{owner}/{repo}/git-upload-archive': 'reads',
  'POST /api/actions/ping.v1.PingService/Ping': 'answers',
  'POST /api/actions/runner.v1.RunnerService/Register': 'a row of the database',
  'POST /api/actions/runner.v1.RunnerService/Declare': 'the same',
  'POST /api/actions/runner.v1.RunnerService/FetchTask': 'the same',
  'POST /api/actions/runner.v1.RunnerService/UpdateTask': 'the same',
  'POST /api/actions/runner.v1.RunnerService/UpdateLog': 'logs are bounded for each job, and deleted after a while',
};
/** Asked elsewhere. */
const askedElsewhere = {
  'POST /{owner}/{repo}/pulls/{index}/conflicts': 'a commit of the page, refused where those of the API are',
  'POST /{owner}/{repo}/git-receive-pack': 'plugins/quota/test/git.test.ts',
};
/** Code that writes into the storage. */
const writers = {
  'core/src/backup/restore.ts': 'what a back-up holds',
  'plugins/accounts/services/avatars.ts': 'pictures of accounts have a limit of their own',
  'plugins/actions-artifacts/services/uploads.ts': 'asked here',
  'plugins/actions/services/logs/log-packer.ts': 'logs are bounded for each job, and deleted after a while',
  'plugins/actions/takeover/logs.ts': 'what another server had',
  'plugins/attachments/services/attachment-store.ts': 'asked here',
  'plugins/files/services/archives.ts': 'made of what is there, and forgotten',
  'plugins/lfs/services/object-service.ts': 'asked here',
  'plugins/package-container/services/uploads.ts': 'asked here',
  'plugins/packages/services/blobs.ts': 'asked by the kit of package formats',
  'plugins/packages/services/proxy/proxy-cache.ts': 'a cache with a limit of its own',
  'plugins/repositories/services/avatars.ts': 'pictures have a limit of their own',
  'plugins/takeover/services/source-context.ts': 'what another server had',
};

describe('issue 30: quotas at every operation that stores', { timeout: 300_000 }, () => {
  let host;
  let ada;
  let admin;
  let job;
  let comment;
  let release;

  const ask = async (method, url, payload, who = host.as(ada), headers = {}) => {
    const answer = await who.inject({ method, url, ...(payload !== undefined && { payload }), headers });
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.payload}`);
    return answer.json;
  };
  const asJob = (method, url, payload) =>
    ask(method, url.replace(host.site.rootUrl, ''), payload, host, { authorization: `Bearer ${job.token}` });

  before(async () => {
    host = await startHost({ plugins: pluginNames(), settings: { quota: { ENABLED: true } } });
    admin = host.as(await createAccount(host, 'root', { isAdmin: true }));
    ada = await createAccount(host, 'ada');
    await ask('POST', '/api/v1/user/repos', { name: 'shop', auto_init: true });
    await ask('POST', `${api}/issues`, { title: 'A fault' });
    comment = (await ask('POST', `${api}/issues/1/comments`, { body: 'A comment' })).id;
    release = (await ask('POST', `${api}/releases`, { tag_name: 'v1', name: 'First' })).id;
    await ask('POST', `${api}/wiki/new`, { title: 'Home', content_base64: base64('Welcome') });
    const content = base64('on a branch');
    await ask('POST', `${api}/contents/b.txt`, { content, message: 'b', new_branch: 'side' });
    await ask('POST', `${api}/pulls`, { title: 'A change', head: 'side', base: 'main' });
    await host.settle();
    const repository = await host.services.get(repositories).byPath('ada', 'shop');
    const made = await makeTask(host, repository, {});
    const claims = { taskId: made.task.id, runId: made.run.id, jobId: made.job.id };
    job = { ...made, token: await host.services.get(runtimeTokens).issue(claims) };
  });
  after(() => host?.close());

  /** Addresses that a job got while there was room. */
  async function signedAddresses() {
    const ids = {
      workflow_run_backend_id: String(job.run.id),
      workflow_job_run_backend_id: String(job.job.id),
      version: 4,
    };
    const artifact = await asJob('POST', `${artifactService}/CreateArtifact`, { ...ids, name: 'box' });
    const cache = { key: 'a key', version: 'v' };
    const service = '/twirp/github.actions.results.api.v1.CacheService';
    const entry = await asJob('POST', `${service}/CreateCacheEntry`, cache);
    const { cacheId } = await asJob('POST', `${pipelines}/artifactcache/caches`, { ...cache, key: 'another' });
    const path = (address) => String(address).replace(host.site.rootUrl, '');
    return { artifact: path(artifact.signedUploadUrl), cache: path(entry.signedUploadUrl), cacheId };
  }

  /** By operation: how it is asked. */
  function requests(signed) {
    const owner = host.as(ada);
    const contents = { content: base64('x'), message: 'x' };
    const bytes = Buffer.from('an object');
    const oid = createHash('sha256').update(bytes).digest('hex');
    const issueFile = file('files', { title: 'Another', content: 'text', body: 'text' });
    const of = (method, url, given = {}, who = owner) => ({ method, url, who, ...given });
    const page = (url, fields) => ({ who: owner, ...formPost(url, fields) });
    const ofJob = (method, url, headers = {}) =>
      of(method, url, { payload: 'bytes', headers: { authorization: `Bearer ${job.token}`, ...headers } }, host);
    const hash = createHash('md5').update('older').digest('hex');
    const edit = (sha) => ({ files: [{ operation: 'create', path: 'c.txt', content: base64('x') }], message: sha });
    const patch = 'diff --git a/d.txt b/d.txt\nnew file mode 100644\n--- /dev/null\n+++ b/d.txt\n@@ -0,0 +1 @@\n+d\n';
    return {
      'POST /api/v1/user/repos': of('POST', '/api/v1/user/repos', { payload: { name: 'more' } }),
      'POST /api/v1/repos/migrate': of('POST', '/api/v1/repos/migrate', {
        payload: { clone_addr: 'https://example.com/a/b.git', repo_name: 'imported' },
      }),
      'POST /api/v1/repos/{owner}/{repo}/contents': of('POST', `${api}/contents`, { payload: edit('several') }),
      'POST /api/v1/repos/{owner}/{repo}/contents/{filepath*}': of('POST', `${api}/contents/e.txt`, {
        payload: contents,
      }),
      'PUT /api/v1/repos/{owner}/{repo}/contents/{filepath*}': of('PUT', `${api}/contents/f.txt`, {
        payload: contents,
      }),
      'POST /api/v1/repos/{owner}/{repo}/diffpatch': of('POST', `${api}/diffpatch`, {
        payload: { content: patch, message: 'd' },
      }),
      'POST /api/v1/repos/{owner}/{repo}/wiki/new': of('POST', `${api}/wiki/new`, {
        payload: { title: 'More', content_base64: base64('x') },
      }),
      'PATCH /api/v1/repos/{owner}/{repo}/wiki/page/{pageName*}': of('PATCH', `${api}/wiki/page/Home`, {
        payload: { title: 'Home', content_base64: base64('y') },
      }),
      'POST /{owner}/{repo}/wiki/_new': page('/ada/shop/wiki/_new', { title: 'New', content: 'x' }),
      'POST /{owner}/{repo}/wiki/{page*}': page('/ada/shop/wiki/Home?action=_edit', { title: 'Home', content: 'z' }),
      'POST /{owner}/{repo}/_upload/{rest*}': of('POST', '/ada/shop/_upload/main/', file('file')),
      'POST /{owner}/{repo}/issues/new': of('POST', '/ada/shop/issues/new', issueFile),
      'POST /{owner}/{repo}/issues/{index}/comments': of('POST', '/ada/shop/issues/1/comments', issueFile),
      'POST /{owner}/{repo}/issues/{index}/content': of('POST', '/ada/shop/issues/1/content', issueFile),
      'POST /{owner}/{repo}/issues/{index}/comments/{id}': of(
        'POST',
        `/ada/shop/issues/1/comments/${comment}`,
        issueFile,
      ),
      'POST /api/v1/repos/{owner}/{repo}/issues/{index}/assets': of(
        'POST',
        `${api}/issues/1/assets`,
        file('attachment'),
      ),
      'POST /api/v1/repos/{owner}/{repo}/issues/comments/{id}/assets': of(
        'POST',
        `${api}/issues/comments/${comment}/assets`,
        file('attachment'),
      ),
      'POST /api/v1/repos/{owner}/{repo}/releases/{id}/assets': of(
        'POST',
        `${api}/releases/${release}/assets?name=a.txt`,
        file('attachment'),
      ),
      'POST /{owner}/{repo}/releases/new': of(
        'POST',
        '/ada/shop/releases/new',
        file('files', { tag_name: 'v2', title: 'Second', target: 'main' }),
      ),
      'POST /{owner}/{repo}/releases/edit/{tag*}': of(
        'POST',
        '/ada/shop/releases/edit/v1',
        file('files', { tag_name: 'v1', title: 'First' }),
      ),
      'PUT /{owner}/{repo}/info/lfs/objects/{oid}/{size}': of('PUT', `/ada/shop.git/info/lfs/objects/${oid}/9`, {
        payload: bytes,
        headers: { 'content-type': 'application/octet-stream' },
      }),
      'PUT /twirp/github.actions.results.api.v1.ArtifactService/UploadArtifact': ofJob(
        'PUT',
        `${signed.artifact}&comp=block&blockid=b25l`,
      ),
      'PUT /api/actions_pipeline/_apis/pipelines/workflows/{run}/artifacts/{hash}/upload': ofJob(
        'PUT',
        `${pipelines}/pipelines/workflows/${job.run.id}/artifacts/${hash}/upload?itemPath=older/a.txt`,
        { 'content-type': 'application/octet-stream' },
      ),
      'PATCH /api/actions_pipeline/_apis/artifactcache/caches/{id}': ofJob(
        'PATCH',
        `${pipelines}/artifactcache/caches/${signed.cacheId}`,
        { 'content-range': 'bytes 0-4/*', 'content-type': 'application/octet-stream' },
      ),
      'PUT /api/actions_pipeline/_apis/artifactcache/artifacts/{id}': ofJob('PUT', signed.cache),
      'POST /v2/{name}/blobs/uploads/': of('POST', '/v2/ada/image/blobs/uploads/', {
        payload: bytes,
        headers: { 'content-type': 'application/octet-stream' },
      }),
    };
  }

  it('answers 413 where content comes in, and lets what is there be deleted', async () => {
    const signed = await signedAddresses();
    await ask('POST', `${api}/issues/1/assets`, file('attachment').payload, host.as(ada), file('attachment').headers);
    const rules = [{ name: 'nothing', limit: 0, subjects: ['size:all'] }];
    await ask('POST', '/api/v1/admin/quota/groups', { name: 'full', rules }, admin);
    await ask('PUT', '/api/v1/admin/quota/groups/full/users/ada', undefined, admin);

    const wrong = [];
    for (const [operation, { who, ...request }] of Object.entries(requests(signed))) {
      const { statusCode, payload } = await who.inject(request);
      // forms are shown once more, with what is wrong and what was written
      const isRefused = statusCode === 413 || (statusCode === 422 && payload.includes('There is no room for this'));
      if (!isRefused)
        wrong.push(
          `${operation} → ${statusCode} ${/flash-error.*?<\/div>/s.exec(payload)?.[0] ?? payload.slice(0, 200)}`,
        );
    }
    expect(wrong).to.equal([]);

    const [attachment] = await ask('GET', `${api}/issues/1/assets`);
    await ask('DELETE', `${api}/issues/1/assets/${attachment.id}`);
    await ask('DELETE', `${api}/branches/side`);
    await ask('DELETE', `${api}/releases/${release}`);
    await ask('DELETE', api);
  });

  it('knows every operation that takes files or large bodies, and all code that writes into the storage', async () => {
    const known = { ...storesNothing, ...askedElsewhere, ...requests({}) };
    const site = await startSite({ isEmpty: true });
    const all = site.host.routes().map(({ value }) => value);
    await site.close();
    const large = all
      .filter(
        ({ method, payload: { as, maxBytes = 0 } = {} }) =>
          ['POST', 'PUT', 'PATCH'].includes(method) && (['stream', 'multipart'].includes(as) || maxBytes > 4_194_304),
      )
      .map(({ method, path }) => `${method} ${path}`);
    expect(large.length).to.be.above(20);
    const isRegistry = (operation) => / \/(?:api\/packages|v2)\//.test(operation);
    expect(large.filter((operation) => !(operation in known) && !isRegistry(operation))).to.equal([]);

    const code = trackedFiles().filter((path) => /^(?:core\/src|plugins\/[^/]+)\/(?!test\/).*\.tsx?$/.test(path));
    const writing = code.filter((path) =>
      /\b(?:area|area\(\))\s*\.put(?:ByHash)?\(/.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(writing.filter((path) => !(path in writers))).to.equal([]);
    expect(Object.keys(writers).filter((path) => !writing.includes(path))).to.equal([]);
  });
});
