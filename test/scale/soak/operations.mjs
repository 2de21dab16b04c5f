// What users, programs and visitors do, and how often a minute. Each throws on an unexpected answer.
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signIn } from '../../support/sign-in.mjs';

const base64 = (text) => Buffer.from(text).toString('base64');
const formats = ['npm', 'debian', 'cargo', 'container'];

async function visit(dataset, path, { headers, expected = [200], ...init } = {}) {
  const answer = await fetch(`${dataset.site.base}${path}`, { redirect: 'manual', headers, ...init });
  const text = await answer.text();
  if (!expected.includes(answer.status))
    throw new Error(`${init.method ?? 'GET'} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text;
}

/** Posts a form as the browser with that cookie. */
async function postForm(dataset, at, path, cookie, fields = {}) {
  const page = await visit(dataset, at, { headers: { cookie } });
  const csrf = /name="_csrf" value="([^"]+)"/.exec(page)[1];
  const body = new URLSearchParams({ _csrf: csrf, ...fields });
  return visit(dataset, path, { method: 'POST', headers: { cookie }, body, expected: [303] });
}

/** A form with one file. */
function fileForm(name, content) {
  const form = new FormData();
  form.append('attachment', new Blob([content]), name);
  return form;
}

async function upload(dataset, path, form) {
  const headers = { authorization: `token ${dataset.token}` };
  return JSON.parse(await visit(dataset, path, { method: 'POST', headers, body: form, expected: [201] }));
}

const pages = [
  '',
  '/issues',
  '/issues/1',
  '/pulls',
  '/commits/branch/main',
  '/src/branch/main',
  '/releases',
  '/activity',
];
const readings = ['', '/issues', '/branches', '/commits', '/contents', '/pulls', '/releases', '/issues/1/timeline'];

export const operations = {
  page: {
    perMinute: 60,
    act: (_, { former, random }) => {
      const headers = random.number() < 0.5 ? { cookie: former.cookie } : {};
      return visit(former, `/${former.name}/desk${random.pick(pages)}`, { headers });
    },
  },
  'own page': {
    perMinute: 20,
    act: (dataset, { random }) =>
      visit(dataset, random.pick(['/', '/issues', '/notifications', '/user/settings', '/explore/repos']), {
        headers: { cookie: dataset.cookie },
      }),
  },
  'api read': {
    perMinute: 90,
    act: (_, { former, random }) => former.api('GET', `${former.repo}${random.pick(readings)}`),
  },
  search: { perMinute: 6, act: (_, { former }) => former.api('GET', '/repos/search?q=desk') },
  issue: {
    perMinute: 8,
    act: (dataset) =>
      dataset.api('POST', `${dataset.repo}/issues`, { title: dataset.mark(), body: `For @${dataset.guest}, see #1.` }),
  },
  comment: {
    perMinute: 15,
    act: (dataset) =>
      dataset.api('POST', `${dataset.repo}/issues/1/comments`, { body: `${dataset.mark()} for @${dataset.guest}` }),
  },
  merge: {
    perMinute: 3,
    async act(dataset) {
      const head = dataset.mark();
      const body = { content: base64(head), message: head, branch: 'main', new_branch: head };
      await dataset.api('POST', `${dataset.repo}/contents/${head}.txt`, body);
      const { json } = await dataset.api('POST', `${dataset.repo}/pulls`, { title: head, head, base: 'main' });
      const merge = { Do: 'merge', delete_branch_after_merge: true };
      // main may have moved, the check of conflicts may not have ended, and others may be merging for long
      for (let tries = 0; tries < 30; tries++) {
        const path = `${dataset.repo}/pulls/${json.number}/merge`;
        const { status } = await dataset.api('POST', path, merge, { expected: [200, 405, 409, 503] });
        if (status === 200) return;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      throw new Error(`pull request ${json.number} does not merge`);
    },
  },
  clone: {
    perMinute: 6,
    async act(dataset, { random }) {
      const to = join(dataset.folder, dataset.mark());
      const clone = () => dataset.git(['clone', '-q', dataset.address(random.number() < 0.5), to]);
      // a branch may go between the list of branches and the request for them
      await clone().catch((error) => (/not our ref/.test(error.message) ? clone() : Promise.reject(error)));
      rmSync(to, { recursive: true, force: true });
    },
  },
  push: {
    perMinute: 5,
    // one after the other: one working tree
    act(dataset, { random }) {
      dataset.pushing = (dataset.pushing ?? Promise.resolve())
        .catch(() => undefined)
        .then(async () => {
          const name = dataset.mark();
          writeFileSync(join(dataset.tree, name), randomBytes(4000));
          await dataset.git(['add', '.'], dataset.tree);
          // now and then the newest commit is replaced
          const isForced = random.number() < 0.2;
          await dataset.git(['commit', '-qm', name, ...(isForced ? ['--amend'] : [])], dataset.tree);
          const to = `${isForced ? '+' : ''}HEAD:pushed`;
          await dataset.git(['push', '-q', dataset.address(random.number() < 0.5), to], dataset.tree);
        });
      return dataset.pushing;
    },
  },
  archive: {
    perMinute: 2,
    act: (dataset, { random }) =>
      visit(dataset, `/api/v1${dataset.repo}/archive/main.${random.pick(['zip', 'tar.gz'])}`, {
        headers: { authorization: `token ${dataset.token}` },
      }),
  },
  package: {
    perMinute: 6,
    async act(dataset, { random }) {
      const format = random.pick(formats);
      const version = `1.0.${dataset.mark().slice(1)}`;
      if (!(await dataset.registries[format].put(version))) throw new Error(`${format} ${version} was not taken`);
    },
  },
  'package read': {
    perMinute: 3,
    act: (_, { former, random }) => former.registries[random.pick(formats)].versions(),
  },
  attachment: {
    perMinute: 4,
    async act(dataset) {
      const at = `/api/v1${dataset.repo}/issues/1/assets`;
      const { id, browser_download_url: link } = await upload(
        dataset,
        at,
        fileForm(`${dataset.mark()}.txt`, randomBytes(20_000)),
      );
      await visit(dataset, new URL(link).pathname, { expected: [200, 302, 303] });
      // half of them are left behind for the deletion of the repository
      if (id % 2) await dataset.api('DELETE', `${dataset.repo}/issues/1/assets/${id}`);
    },
  },
  release: {
    perMinute: 1,
    async act(dataset) {
      const tag = `v${dataset.mark().slice(1)}`;
      const { json } = await dataset.api('POST', `${dataset.repo}/releases`, {
        tag_name: tag,
        name: tag,
        target_commitish: 'main',
      });
      await upload(
        dataset,
        `/api/v1${dataset.repo}/releases/${json.id}/assets`,
        fileForm(`${tag}.bin`, randomBytes(50_000)),
      );
    },
  },
  wiki: {
    perMinute: 2,
    act: (dataset) => {
      const title = `Page ${dataset.mark()}`;
      return dataset.api('POST', `${dataset.repo}/wiki/new`, { title, content_base64: base64(title), message: title });
    },
  },
  run: {
    perMinute: 2,
    async act(dataset) {
      const at = `/repos/root/${dataset.actionsRepo}/actions`;
      const asRoot = { as: 'root:password' };
      const path = `${at}/workflows/count.yml/dispatches?return_run_details=true`;
      const { json } = await dataset.api('POST', path, { ref: 'main' }, asRoot);
      for (let tries = 0; tries < 600; tries++) {
        const run = (await dataset.api('GET', `${at}/runs/${json.workflow_run_id}`, undefined, asRoot)).json;
        if (run.status === 'completed') {
          if (run.conclusion !== 'success') throw new Error(`the run ended with ${run.conclusion}`);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      throw new Error('the run does not end');
    },
  },
  socket: { perMinute: 12, act: (dataset) => dataset.listen() },
  'notification read': {
    perMinute: 3,
    act: (dataset) =>
      dataset.api('PUT', '/notifications?all=false', undefined, { as: dataset.asGuest, expected: [200, 205] }),
  },
  'sign in and out': {
    perMinute: 6,
    async act(dataset) {
      const cookie = await signIn(dataset.site.base, dataset.name, 'long enough');
      await visit(dataset, `/${dataset.name}/desk`, { headers: { cookie } });
      await postForm(dataset, '/user/settings', '/user/logout', cookie);
    },
  },
  'sign in and go away': { perMinute: 3, act: (dataset) => signIn(dataset.site.base, 'root', 'password') },
  token: {
    perMinute: 3,
    async act(dataset) {
      const as = `${dataset.name}:long enough`;
      const at = `/users/${dataset.name}/tokens`;
      const { json } = await dataset.api('POST', at, { name: dataset.mark(), scopes: ['read:user'] }, { as });
      await dataset.api('GET', '/user', undefined, { as: json.sha1 });
      await dataset.api('DELETE', `${at}/${json.id}`, undefined, { as });
    },
  },
  star: {
    perMinute: 3,
    async act(dataset) {
      await dataset.api('PUT', `/user/starred/${dataset.name}/desk`);
      await dataset.api('DELETE', `/user/starred/${dataset.name}/desk`);
    },
  },
  'bad request': {
    perMinute: 12,
    act: (dataset, { random }) => {
      const { api, bad } = badRequests(dataset);
      return random.number() < 0.5 ? random.pick(api)() : random.pick(bad)();
    },
  },
  'refused login': {
    perMinute: 6,
    act: async (dataset, { random }) => {
      const name = `nobody-${random.below(1e6)}`;
      await dataset.api('GET', '/user', undefined, { as: `${name}:wrong password`, expected: [401] });
      await dataset.api('GET', '/user', undefined, { as: '0123456789abcdef0123456789abcdef01234567', expected: [401] });
    },
  },
};

function badRequests(dataset) {
  return {
    api: [
      () => dataset.api('POST', `${dataset.repo}/issues`, '{"title":', { expected: [400, 422] }),
      () => dataset.api('POST', `${dataset.repo}/issues`, { title: '' }, { expected: [422] }),
      () => dataset.api('GET', `${dataset.repo}/issues/999999`, undefined, { expected: [404] }),
      () => dataset.api('GET', `${dataset.repo}/commits?sha=${dataset.mark()}-none`, undefined, { expected: [404] }),
    ],
    bad: [
      () => visit(dataset, `/${dataset.mark()}/nothing`, { expected: [404] }),
      () => visit(dataset, `/${dataset.name}/desk/src/branch/none/${dataset.mark()}`, { expected: [404] }),
      () =>
        visit(dataset, '/user/login', {
          method: 'POST',
          body: new URLSearchParams({ a: 'b' }),
          expected: [400, 403, 422],
        }),
      () =>
        visit(dataset, `/${dataset.name}/desk.git/info/refs?service=git-${dataset.mark()}`, {
          expected: [400, 403, 404],
        }),
    ],
  };
}
