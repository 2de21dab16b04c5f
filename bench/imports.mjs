#!/usr/bin/env node
// Measures the import of a repository with many issues and comments from a second Mortise on the same machine.
//
//   node bench/imports.mjs [--issues 5000] [--comments 20000] [--mysql ADDRESS]
//
// Goal: 5,000 issues with 20,000 comments in two minutes, with at most 300 MB.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { each, insert } from './data.mjs';
import { openDatabase } from './growth.mjs';
import { makeSite } from './site.mjs';

const { values: options } = parseArgs({
  options: {
    issues: { type: 'string', default: '5000' },
    comments: { type: 'string', default: '20000' },
    mysql: { type: 'string', default: process.env.MORTISE_TEST_MYSQL },
  },
});
const [issues, comments] = [Number(options.issues), Number(options.comments)];
const body = 'It **squeaks** at the third turn.\n\n```js\nturn(3);\n```\n';
// both sites are on this machine
process.env.MORTISE__migrations__ALLOW_LOCALNETWORKS = 'true';
process.env.MORTISE__security__ALLOWED_HOST_LIST = '*';

/** Written past the stopped server: through the API it would take longer than the import. */
async function fill(knex, { id: repositoryId, owner }) {
  const now = Date.now();
  const rows = each(issues, (n) => ({
    id: n + 1,
    repository_id: repositoryId,
    number: n + 1,
    is_pull: false,
    poster_id: owner.id,
    title: `Number ${n} of the desk`,
    body,
    is_closed: n % 3 === 0,
    created_at: now - (issues - n) * 60_000,
    updated_at: now - (issues - n) * 50_000,
    closed_at: n % 3 === 0 ? now : 0,
  }));
  await insert(knex, 'issue', rows);
  await knex('issue_number').where({ repository_id: repositoryId }).delete();
  await knex('issue_number').insert({ repository_id: repositoryId, last: issues });
  const entries = each(comments, (n) => ({
    issue_id: (n % issues) + 1,
    repository_id: repositoryId,
    kind: 'comment',
    actor_id: owner.id,
    original_author: '',
    original_author_id: 0,
    body: `Comment ${n}: ${body}`,
    subject_id: 0,
    data: '{}',
    created_at: now - (comments - n) * 1000,
    updated_at: now - (comments - n) * 1000,
  }));
  await insert(knex, 'timeline_entry', entries);
}

const peakMegabytes = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

const work = mkdtempSync(join(tmpdir(), 'mortise-imports-'));
const port = 4200 + (process.pid % 90) * 2;
const [source, target] = [
  await makeSite({ work, port }),
  await makeSite({ work, port: port + 1, mysql: options.mysql }),
];
try {
  await source.start();
  const repository = await source.api('POST', '/user/repos', { name: 'desk', auto_init: true });
  const { sha1: token } = await source.api('POST', '/users/root/tokens', { name: 'bench', scopes: ['all'] });
  await source.stop();
  const knex = openDatabase(source);
  await fill(knex, repository);
  await knex.destroy();
  await source.start();
  await target.start();
  const began = performance.now();
  await target.api('POST', '/repos/migrate', {
    clone_addr: `${source.base}/root/desk.git`,
    service: 'gitea',
    repo_name: 'desk',
    auth_token: token,
    issues: true,
    labels: true,
    milestones: true,
  });
  let state = 'queued';
  while (['queued', 'running', 'paused'].includes(state)) {
    await sleep(200);
    ({ state } = await target.api('GET', '/repos/root/desk/migration'));
  }
  const seconds = (performance.now() - began) / 1000;
  const totalOf = async (path) =>
    (await fetch(`${target.base}/api/v1/repos/root/desk/${path}`)).headers.get('x-total-count');
  const [issueTotal, commentTotal] = [
    await totalOf('issues?state=all&limit=1'),
    await totalOf('issues/comments?limit=1'),
  ];
  console.log(
    `${state}: ${issueTotal} issues and ${commentTotal} comments in ${seconds.toFixed(0)} s, ` +
      `${(target.cpuMs() / 1000).toFixed(0)} s of a core, ${peakMegabytes(target.pid()).toFixed(0)} MB at most`,
  );
} finally {
  await Promise.all([source.close(), target.close()]);
  rmSync(work, { recursive: true, force: true });
}
