// What people, programs and strangers do, and how often a minute. Each throws when the answer is not the one it wants.
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signIn } from '../../support/sign-in.mjs';

const base64 = (text) => Buffer.from(text).toString('base64');
const formats = ['npm', 'debian', 'cargo', 'container'];

async function visit(generation, path, { headers, expected = [200], ...init } = {}) {
  const answer = await fetch(`${generation.site.base}${path}`, { redirect: 'manual', headers, ...init });
  const text = await answer.text();
  if (!expected.includes(answer.status))
    throw new Error(`${init.method ?? 'GET'} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text;
}

/** Posts a form as the browser with that cookie. */
async function postForm(generation, at, path, cookie, fields = {}) {
  const page = await visit(generation, at, { headers: { cookie } });
  const csrf = /name="_csrf" value="([^"]+)"/.exec(page)[1];
  const body = new URLSearchParams({ _csrf: csrf, ...fields });
  return visit(generation, path, { method: 'POST', headers: { cookie }, body, expected: [303] });
}

/** A form with one file. */
function fileForm(name, content) {
  const form = new FormData();
  form.append('attachment', new Blob([content]), name);
  return form;
}

async function upload(generation, path, form) {
  const headers = { authorization: `token ${generation.token}` };
  return JSON.parse(await visit(generation, path, { method: 'POST', headers, body: form, expected: [201] }));
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

export const kinds = {
  page: {
    perMinute: 60,
    act: (_, { former, random }) => {
      const headers = random.number() < 0.5 ? { cookie: former.cookie } : {};
      return visit(former, `/${former.name}/desk${random.pick(pages)}`, { headers });
    },
  },
  'own page': {
    perMinute: 20,
    act: (now, { random }) =>
      visit(now, random.pick(['/', '/issues', '/notifications', '/user/settings', '/explore/repos']), {
        headers: { cookie: now.cookie },
      }),
  },
  'api read': {
    perMinute: 90,
    act: (_, { former, random }) => former.api('GET', `${former.repo}${random.pick(readings)}`),
  },
  search: { perMinute: 6, act: (_, { former }) => former.api('GET', '/repos/search?q=desk') },
  issue: {
    perMinute: 8,
    act: (now) => now.api('POST', `${now.repo}/issues`, { title: now.mark(), body: `For @${now.guest}, see #1.` }),
  },
  comment: {
    perMinute: 15,
    act: (now) => now.api('POST', `${now.repo}/issues/1/comments`, { body: `${now.mark()} for @${now.guest}` }),
  },
  merge: {
    perMinute: 3,
    async act(now) {
      const head = now.mark();
      const body = { content: base64(head), message: head, branch: 'main', new_branch: head };
      await now.api('POST', `${now.repo}/contents/${head}.txt`, body);
      const { json } = await now.api('POST', `${now.repo}/pulls`, { title: head, head, base: 'main' });
      const merge = { Do: 'merge', delete_branch_after_merge: true };
      // main may have moved, the check of conflicts may not have ended, and others may be merging for long
      for (let tries = 0; tries < 30; tries++) {
        const path = `${now.repo}/pulls/${json.number}/merge`;
        const { status } = await now.api('POST', path, merge, { expected: [200, 405, 409, 503] });
        if (status === 200) return;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      throw new Error(`pull request ${json.number} does not merge`);
    },
  },
  clone: {
    perMinute: 6,
    async act(now, { random }) {
      const to = join(now.folder, now.mark());
      const clone = () => now.git(['clone', '-q', now.address(random.number() < 0.5), to]);
      // a branch may go between the list of branches and the request for them
      await clone().catch((error) => (/not our ref/.test(error.message) ? clone() : Promise.reject(error)));
      rmSync(to, { recursive: true, force: true });
    },
  },
  push: {
    perMinute: 5,
    // one after the other: one working tree
    act(now, { random }) {
      now.pushing = (now.pushing ?? Promise.resolve())
        .catch(() => undefined)
        .then(async () => {
          const name = now.mark();
          writeFileSync(join(now.tree, name), randomBytes(4000));
          await now.git(['add', '.'], now.tree);
          // now and then the newest commit is replaced
          const isForced = random.number() < 0.2;
          await now.git(['commit', '-qm', name, ...(isForced ? ['--amend'] : [])], now.tree);
          const to = `${isForced ? '+' : ''}HEAD:pushed`;
          await now.git(['push', '-q', now.address(random.number() < 0.5), to], now.tree);
        });
      return now.pushing;
    },
  },
  archive: {
    perMinute: 2,
    act: (now, { random }) =>
      visit(now, `/api/v1${now.repo}/archive/main.${random.pick(['zip', 'tar.gz'])}`, {
        headers: { authorization: `token ${now.token}` },
      }),
  },
  package: {
    perMinute: 6,
    async act(now, { random }) {
      const format = random.pick(formats);
      const version = `1.0.${now.mark().slice(1)}`;
      if (!(await now.registries[format].put(version))) throw new Error(`${format} ${version} was not taken`);
    },
  },
  'package read': {
    perMinute: 3,
    act: (_, { former, random }) => former.registries[random.pick(formats)].versions(),
  },
  attachment: {
    perMinute: 4,
    async act(now) {
      const at = `/api/v1${now.repo}/issues/1/assets`;
      const { id, browser_download_url: link } = await upload(
        now,
        at,
        fileForm(`${now.mark()}.txt`, randomBytes(20_000)),
      );
      await visit(now, new URL(link).pathname, { expected: [200, 302, 303] });
      // half of them are left behind for the deletion of the repository
      if (id % 2) await now.api('DELETE', `${now.repo}/issues/1/assets/${id}`);
    },
  },
  release: {
    perMinute: 1,
    async act(now) {
      const tag = `v${now.mark().slice(1)}`;
      const { json } = await now.api('POST', `${now.repo}/releases`, {
        tag_name: tag,
        name: tag,
        target_commitish: 'main',
      });
      await upload(now, `/api/v1${now.repo}/releases/${json.id}/assets`, fileForm(`${tag}.bin`, randomBytes(50_000)));
    },
  },
  wiki: {
    perMinute: 2,
    act: (now) => {
      const title = `Page ${now.mark()}`;
      return now.api('POST', `${now.repo}/wiki/new`, { title, content_base64: base64(title), message: title });
    },
  },
  run: {
    perMinute: 2,
    async act(now) {
      const at = `/repos/root/${now.mill}/actions`;
      const asRoot = { as: 'root:password' };
      const path = `${at}/workflows/count.yml/dispatches?return_run_details=true`;
      const { json } = await now.api('POST', path, { ref: 'main' }, asRoot);
      for (let tries = 0; tries < 600; tries++) {
        const run = (await now.api('GET', `${at}/runs/${json.workflow_run_id}`, undefined, asRoot)).json;
        if (run.status === 'completed') {
          if (run.conclusion !== 'success') throw new Error(`the run ended with ${run.conclusion}`);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      throw new Error('the run does not end');
    },
  },
  socket: { perMinute: 12, act: (now) => now.listen() },
  'notification read': {
    perMinute: 3,
    act: (now) => now.api('PUT', '/notifications?all=false', undefined, { as: now.asGuest, expected: [200, 205] }),
  },
  'sign in and out': {
    perMinute: 6,
    async act(now) {
      const cookie = await signIn(now.site.base, now.name, 'long enough');
      await visit(now, `/${now.name}/desk`, { headers: { cookie } });
      await postForm(now, '/user/settings', '/user/logout', cookie);
    },
  },
  'sign in and go away': { perMinute: 3, act: (now) => signIn(now.site.base, 'root', 'password') },
  token: {
    perMinute: 3,
    async act(now) {
      const as = `${now.name}:long enough`;
      const at = `/users/${now.name}/tokens`;
      const { json } = await now.api('POST', at, { name: now.mark(), scopes: ['read:user'] }, { as });
      await now.api('GET', '/user', undefined, { as: json.sha1 });
      await now.api('DELETE', `${at}/${json.id}`, undefined, { as });
    },
  },
  star: {
    perMinute: 3,
    async act(now) {
      await now.api('PUT', `/user/starred/${now.name}/desk`);
      await now.api('DELETE', `/user/starred/${now.name}/desk`);
    },
  },
  'bad request': {
    perMinute: 12,
    act: (now, { random }) => {
      const { api, bad } = badRequests(now);
      return random.number() < 0.5 ? random.pick(api)() : random.pick(bad)();
    },
  },
  'refused login': {
    perMinute: 6,
    act: async (now, { random }) => {
      const name = `nobody-${random.below(1e6)}`;
      await now.api('GET', '/user', undefined, { as: `${name}:wrong password`, expected: [401] });
      await now.api('GET', '/user', undefined, { as: '0123456789abcdef0123456789abcdef01234567', expected: [401] });
    },
  },
};

function badRequests(now) {
  return {
    api: [
      () => now.api('POST', `${now.repo}/issues`, '{"title":', { expected: [400, 422] }),
      () => now.api('POST', `${now.repo}/issues`, { title: '' }, { expected: [422] }),
      () => now.api('GET', `${now.repo}/issues/999999`, undefined, { expected: [404] }),
      () => now.api('GET', `${now.repo}/commits?sha=${now.mark()}-none`, undefined, { expected: [404] }),
    ],
    bad: [
      () => visit(now, `/${now.mark()}/nothing`, { expected: [404] }),
      () => visit(now, `/${now.name}/desk/src/branch/none/${now.mark()}`, { expected: [404] }),
      () =>
        visit(now, '/user/login', { method: 'POST', body: new URLSearchParams({ a: 'b' }), expected: [400, 403, 422] }),
      () => visit(now, `/${now.name}/desk.git/info/refs?service=git-${now.mark()}`, { expected: [400, 403, 404] }),
    ],
  };
}
