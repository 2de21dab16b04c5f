#!/usr/bin/env node
// Measures issues and pull requests of one repository with few and with very many of them; writes bench/results/<name>.md.
//
//   node bench/issues.mjs [--name issues] [--seconds 3] [--warm 1] [--rounds 1] [--issues 100000] [--few 1000]
//                         [--merges 200] [--files 5000] [--only "list|create"] [--mysql ADDRESS]
//                         [--engine SQLite|MariaDB]
//
// Anonymous reads, as the peer was measured; one in twenty is a pull request. Besides: how long a merge takes from the
// first to the last of many, one after the other, and the pages of a pull request of very many files.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { each, insert } from './data.mjs';
import { measureGrowth, median, openDatabase, timesOf } from './growth.mjs';

const { values: options } = parseArgs({
  options: {
    name: { type: 'string', default: 'issues' },
    seconds: { type: 'string', default: '3' },
    warm: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '1' },
    issues: { type: 'string', default: '100000' },
    few: { type: 'string', default: '1000' },
    merges: { type: 'string', default: '200' },
    files: { type: 'string', default: '5000' },
    only: { type: 'string' },
    engine: { type: 'string' },
    mysql: { type: 'string', default: process.env.MORTISE_TEST_MYSQL },
  },
});
const desk = '/repos/root/desk';
/** Ten times the peer, five times of labels; of the yardstick in percent. */
const goals = {
  'issue list 50': 0.8,
  'issue list by label': 2.3,
  'issue get': 5.6,
  'issue comments': 20.2,
  labels: 15.4,
  'web: issue list': 3.1,
  'web: issue page': 0.2,
  'issue page 10 comments': 4,
  'create issue': 1.5,
};

const encode = (text) => Buffer.from(text).toString('base64');
const people = 40;
const labels = 20;
const areas = each(labels, (n) => `area/${n}`);
const words = each(5000, (n) => `word${((n * 7919) % 5000).toString(36)}`);

/** A repository with labels, a milestone, an issue with comments and a pull request; gives what the rows need of them. */
async function prepare(site) {
  await site.api('POST', '/user/repos', { name: 'big', auto_init: true });
  const { id: repositoryId } = await site.api('POST', '/user/repos', { name: 'desk', auto_init: true });
  const labelIds = [];
  for (const name of areas) labelIds.push((await site.api('POST', `${desk}/labels`, { name, color: '#00aabb' })).id);
  const { id: milestoneId } = await site.api('POST', `${desk}/milestones`, { title: 'Version 1' });
  const body = `It **squeaks**.\n\n- [ ] oil\n- [x] look\n\n\`\`\`js\nturn();\n\`\`\`\n`;
  await site.api('POST', `${desk}/issues`, { title: 'The first issue', body, labels: labelIds.slice(0, 3) });
  for (let n = 0; n < 20; n++) await site.api('POST', `${desk}/issues/1/comments`, { body: `Comment ${n}: ${body}` });
  const { number: tenComments } = await site.api('POST', `${desk}/issues`, { title: 'With ten comments', body });
  for (let n = 0; n < 10; n++)
    await site.api('POST', `${desk}/issues/${tenComments}/comments`, { body: `Comment ${n}: ${body}` });
  // what the row of new comments writes to: it must not make the list of comments longer
  const { number: discussed } = await site.api('POST', `${desk}/issues`, { title: 'The second issue', body });
  const file = { content: encode('one\ntwo\n'), message: 'Add a file', branch: 'main', new_branch: 'topic' };
  await site.api('POST', `${desk}/contents/topic.txt`, file);
  const pull = await site.api('POST', `${desk}/pulls`, { head: 'topic', base: 'main', title: 'A pull request', body });
  return { repositoryId, labelIds, milestoneId, discussed, tenComments, pull: pull.number, pullId: pull.id };
}

/** `count` issues and pull requests, those with the words that searches look for among them. */
async function add(knex, count, { repositoryId, labelIds, milestoneId, pull }) {
  const now = Date.now();
  const [{ last }] = await knex('user').max({ last: 'id' });
  const firstUser = Number(last) + 1;
  await insert(
    knex,
    'user',
    each(people, (n) => ({
      id: firstUser + n,
      kind: 'user',
      name: `hand${n}`,
      lower_name: `hand${n}`,
      full_name: `Hand ${n}`,
      email: `hand${n}@example.com`,
      created_at: now,
      updated_at: now,
    })),
  );
  const [{ lastIssue }] = await knex('issue').max({ lastIssue: 'id' });
  const firstId = Number(lastIssue) + 1;
  const isPull = (n) => n % 20 === 19;
  const isClosed = (n) => n % 3 === 0;
  // as many as are answered, however many there are
  const apart = Math.max(1, Math.floor(count / 100));
  const bodyOf = (n) =>
    `${n % apart === 7 % apart ? 'needle ' : ''}everywhere ${each(30, (at) => words[(n * 31 + at * 977) % words.length]).join(' ')}`;
  const rows = each(count, (n) => ({
    id: firstId + n,
    repository_id: repositoryId,
    number: pull + 1 + n,
    is_pull: isPull(n),
    poster_id: firstUser + (n % people),
    title: `Number ${n} of the desk`,
    body: bodyOf(n),
    is_closed: isClosed(n),
    milestone_id: n % 10 === 0 ? milestoneId : null,
    created_at: now - (count - n) * 60_000,
    updated_at: now - (count - n) * 50_000,
    closed_at: isClosed(n) ? now : 0,
  }));
  await insert(knex, 'issue', rows);
  await knex('issue_number')
    .where({ repository_id: repositoryId })
    .update({ last: pull + count });
  await insert(
    knex,
    'issue_label',
    rows.flatMap(({ id, is_pull, is_closed, created_at }, n) =>
      [n % labels, (n * 7 + 3) % labels]
        .filter((one, at, all) => all.indexOf(one) === at)
        .map((one) => ({
          issue_id: id,
          label_id: labelIds[one],
          is_pull,
          is_closed,
          issue_created_at: created_at,
        })),
    ),
  );
  await insert(
    knex,
    'issue_assignee',
    rows.filter((_, n) => n % 4 === 0).map(({ id }, n) => ({ issue_id: id, user_id: firstUser + (n % people) })),
  );
  const model = await knex('pull_request').where({ repository_id: repositoryId }).first();
  await insert(
    knex,
    'pull_request',
    rows
      .filter(({ is_pull: is }) => is)
      .map(({ id, number, is_closed: closed }, n) => ({
        ...model,
        issue_id: id,
        number,
        head_branch: `topic-${n}`,
        is_open: !closed,
        open_key: null,
      })),
  );
  const open = (kind) => rows.filter((row) => !row.is_closed && row.is_pull === kind).length;
  await knex('repository')
    .where({ id: repositoryId })
    .increment({ open_issue_count: open(false), open_pull_count: open(true) });
  // what was written past the server is read into the search index when it starts
  await knex('search_source').delete();
  return { last: pull + count };
}

/** When everything is in the search index. */
async function ready(site, prepared) {
  const knex = openDatabase(site, options.mysql && site.database ? options.mysql : undefined);
  const begin = Date.now();
  for (;;) {
    const sources = await knex('search_source').select('kind', 'is_complete');
    if (sources.some(({ kind }) => kind === 'issue') && sources.every((one) => Boolean(one.is_complete))) break;
    if (Date.now() - begin > 1_800_000) throw new Error('the search index is not complete');
    await sleep(500);
  }
  await knex.destroy();
  const { sha1 } = await site.api('POST', '/users/root/tokens', { name: 'bench', scopes: ['all'] });
  return { ...prepared, token: sha1, indexSeconds: (Date.now() - begin) / 1000 };
}

const rows = ({ discussed, tenComments, pull, last, token }) => {
  const writing = { authorization: `token ${token}`, 'content-type': 'application/json' };
  return [
    ['issue list 50', `/api/v1${desk}/issues?limit=50&state=all`],
    ['issue list by label', `/api/v1${desk}/issues?limit=20&labels=area/3`],
    ['issue list by author', `/api/v1${desk}/issues?limit=20&created_by=hand3`],
    ['issue list by milestone', `/api/v1${desk}/issues?limit=20&milestones=Version%201`],
    ['issue list, last page', `/api/v1${desk}/issues?limit=50&state=all&sort=oldest`],
    ['issue search, a rare word', `/api/v1${desk}/issues?q=needle&limit=20`],
    ['issue search, a word of all', `/api/v1/repos/issues/search?q=everywhere&limit=20`],
    ['issue get', `/api/v1${desk}/issues/1`],
    ['issue comments', `/api/v1${desk}/issues/1/comments`],
    ['issue timeline', `/api/v1${desk}/issues/1/timeline`],
    ['labels', `/api/v1${desk}/labels`],
    ['milestones', `/api/v1${desk}/milestones`],
    ['pull list 50', `/api/v1${desk}/pulls?limit=50&state=all`],
    ['pull get', `/api/v1${desk}/pulls/${pull}`],
    ['pull files', `/api/v1${desk}/pulls/${pull}/files`],
    ['pull commits', `/api/v1${desk}/pulls/${pull}/commits`],
    ['pull reviews', `/api/v1${desk}/pulls/${pull}/reviews`],
    ['web: issue list', '/root/desk/issues'],
    ['web: issue list by label', '/root/desk/issues?q=label%3Aarea%2F3'],
    ['web: issue page', '/root/desk/issues/1'],
    ['issue page 10 comments', `/root/desk/issues/${tenComments}`],
    ['web: an issue of many', `/root/desk/issues/${last - 1}`],
    ['web: pull list', '/root/desk/pulls'],
    ['web: pull page', `/root/desk/pulls/${pull}`],
    ['web: pull files', `/root/desk/pulls/${pull}/files`],
    ['create issue', `/api/v1${desk}/issues`, writing, JSON.stringify({ title: 'One more', body: 'It squeaks.' })],
    [
      'create comment',
      `/api/v1${desk}/issues/${discussed}/comments`,
      writing,
      JSON.stringify({ body: 'It still squeaks.' }),
    ],
  ];
};

/** Merges one after the other, and the pages of a pull request of very many files. */
async function after(site, { indexSeconds }, engine, size) {
  const lines = [`- ${engine}, ${size}: read into the search index in ${indexSeconds.toFixed(0)} s after the start`];
  if (size === 'few') return lines;
  const merges = Number(options.merges);
  await site.api('POST', '/user/repos', { name: 'merged', auto_init: true });
  const at = '/repos/root/merged';
  const numbers = [];
  for (let n = 0; n < merges; n++) {
    const file = { content: encode(`${n}\n`), message: `Add ${n}`, branch: 'main', new_branch: `topic-${n}` };
    await site.api('POST', `${at}/contents/file-${n}.txt`, file);
    const pull = await site.api('POST', `${at}/pulls`, { head: `topic-${n}`, base: 'main', title: `Pull ${n}` });
    numbers.push(pull.number);
  }
  const times = await timesOf(merges, async (n) => {
    for (let tries = 0; ; tries++) {
      try {
        return await site.api('POST', `${at}/pulls/${numbers[n]}/merge`, { Do: 'merge' });
      } catch (error) {
        // its conflicts are just being looked for
        if (tries === 50) throw error;
        await sleep(50);
      }
    }
  });
  const tenth = Math.max(1, Math.floor(merges / 10));
  if (merges > 0)
    lines.push(
      `- ${engine}: ${merges} merges one after the other: ${median(times.slice(0, tenth)).toFixed(0)} ms each in the first tenth, ${median(times.slice(-tenth)).toFixed(0)} ms in the last`,
    );
  if (Number(options.files) === 0) return lines;
  const files = each(Number(options.files), (n) => ({
    operation: 'create',
    path: `src/part${n % 50}/file${n}.txt`,
    content: encode(`line of ${n}\n`.repeat(5)),
  }));
  await site.api('POST', '/user/repos', { name: 'wide', auto_init: true });
  const wide = '/repos/root/wide';
  for (let from = 0; from < files.length; from += 1000) {
    const branch = from === 0 ? { branch: 'main', new_branch: 'topic' } : { branch: 'topic' };
    await site.api('POST', `${wide}/contents`, { files: files.slice(from, from + 1000), message: 'Many', ...branch });
  }
  const pull = await site.api('POST', `${wide}/pulls`, { head: 'topic', base: 'main', title: 'Wide' });
  for (const part of ['', '/files']) {
    const page = `${site.base}/root/wide/pulls/${pull.number}${part}`;
    const [first, ...others] = await timesOf(6, async () => {
      const answer = await fetch(page);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${page}: ${answer.status}`);
    });
    lines.push(
      `- ${engine}: a pull request of ${files.length} files, \`${part || '/'}\`: ${first.toFixed(0)} ms at first, then ${median(others).toFixed(0)} ms`,
    );
  }
  return lines;
}

await measureGrowth({
  options,
  few: Number(options.few),
  many: Number(options.issues),
  about: `Anonymous. ${options.issues} issues and pull requests in one repository; few: ${options.few}.`,
  goals,
  prepare,
  add,
  tables: ['user', 'issue', 'issue_label', 'issue_assignee', 'pull_request', 'repository'],
  ready,
  rows,
  after,
});
