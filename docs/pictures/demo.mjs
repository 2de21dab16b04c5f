// Fills a fresh server over its API with what the pictures show.
import { changedSource, commits, issues, testLog } from './files.mjs';
import { registerRunner } from '../../test/support/runner-calls.mjs';

const password = 'Tr1cky-passw0rd!';
const people = { maria: 'Maria Oliveira', jonas: 'Jonas Lindqvist', wei: 'Wei Zhang' };
const home = '/repos/harbour/ferry';

/** Name and password with which the pictures are taken. */
export const viewer = `maria:${password}`;

const daysAgo = (days) => new Date(Date.now() - days * 86_400_000).toISOString();
const as = (name) => `${name}:${password}`;

/** Calls the API and throws where it refuses. */
const caller =
  (server) =>
  async (method, path, body, user = as('maria')) => {
    const answer = await server.api(method, path, { body, as: user });
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };

async function addUsers(call) {
  for (const [username, full_name] of Object.entries(people))
    await call(
      'POST',
      '/admin/users',
      { username, full_name, password, email: `${username}@example.com`, must_change_password: false },
      'root:password',
    );
  await call('POST', '/orgs', { username: 'harbour', full_name: 'Harbour Software' });
  await call('POST', '/orgs/harbour/repos', {
    name: 'ferry',
    description: 'Departures of the harbour ferries, for the board at the quay and for phones',
    default_branch: 'main',
  });
  for (const name of ['jonas', 'wei']) {
    await call('PUT', `${home}/collaborators/${name}`, { permission: 'write' });
    await call('PUT', '/user/starred/harbour/ferry', undefined, as(name));
  }
  await call('PUT', `${home}/topics`, { topics: ['timetable', 'ferries', 'typescript'] });
}

/** One commit with new or changed files. */
function commit(call, [author, days, message, files], known, more = {}) {
  const entries = Object.entries(files).map(([path, text]) => ({
    operation: known.get(path) ? 'update' : 'create',
    path,
    sha: known.get(path),
    content: Buffer.from(text).toString('base64'),
  }));
  const date = daysAgo(days);
  return call('POST', `${home}/contents`, {
    files: entries,
    message,
    author: { name: people[author], email: `${author}@example.com` },
    dates: { author: date, committer: date },
    branch: 'main',
    ...more,
  });
}

async function addHistory(call) {
  const known = new Map();
  for (const one of commits) {
    const { files } = await commit(call, one, known);
    for (const { path, sha } of files) known.set(path, sha);
  }
  await call('POST', `${home}/releases`, { tag_name: 'v1.2.0', name: 'Summer', body: 'The timetable of the summer.' });
  return known;
}

async function addIssues(call) {
  const ids = new Map();
  for (const [name, color] of Object.entries({
    bug: '#d73a4a',
    feature: '#1f883d',
    board: '#0969da',
    'good first issue': '#8250df',
  }))
    ids.set(name, (await call('POST', `${home}/labels`, { name, color })).id);
  const { id } = await call('POST', `${home}/projects`, { title: 'Summer season', template_type: 'basic_kanban' });
  const columns = await call('GET', `${home}/projects/${id}/columns`);
  for (const [title, labels, assignee, column] of issues) {
    const issue = await call('POST', `${home}/issues`, {
      title,
      labels: labels.map((name) => ids.get(name)),
      assignees: assignee ? [assignee] : [],
    });
    await call('POST', `${home}/projects/${id}/columns/${columns[column].id}/issues/${issue.id}`);
  }
  const last = await call('POST', `${home}/issues`, { title: 'Timetable of the summer', labels: [ids.get('feature')] });
  await call('POST', `${home}/projects/${id}/columns/${columns[3].id}/issues/${last.id}`);
  await call('PATCH', `${home}/issues/${last.number}`, { state: 'closed' });
  return id;
}

async function addPull(call, known) {
  const change = ['jonas', 0.2, 'Show the first ferry of tomorrow at night', { 'src/timetable.ts': changedSource }];
  await commit(call, change, known, { new_branch: 'after-midnight' });
  const pull = await call(
    'POST',
    `${home}/pulls`,
    { head: 'after-midnight', base: 'main', title: 'Show the first ferry of tomorrow at night', body: 'Fixes #1.' },
    as('jonas'),
  );
  const suggestion = '```suggestion\n  const leaving = timetable.filter((one) => one.from === from);\n```';
  const { id } = await call(
    'POST',
    `${home}/pulls/${pull.number}/reviews`,
    {
      event: 'COMMENT',
      body: 'Much better at night.',
      comments: [
        { path: 'src/timetable.ts', new_position: 18, body: `A shorter name keeps it on one line:\n\n${suggestion}` },
      ],
    },
    as('wei'),
  );
  const [comment] = await call('GET', `${home}/pulls/${pull.number}/reviews/${id}/comments`);
  await call(
    'POST',
    `${home}/pulls/${pull.number}/comments/${comment.id}/replies`,
    { body: 'Yes, thanks!' },
    as('jonas'),
  );
  return pull.number;
}

/** A run whose first jobs were done by a runner that speaks the protocol of runners. */
async function addRun(call, server) {
  const { token } = await call('POST', '/admin/actions/runners/registration-token', undefined, 'root:password');
  const runner = await registerRunner(server.base, { name: 'quay', token, labels: ['linux'] });
  const asked = await call('POST', `${home}/actions/workflows/test.yml/dispatches?return_run_details=true`, {
    ref: 'main',
  });
  const run = `${home}/actions/runs/${asked.workflow_run_id}`;
  const states = async () => (await call('GET', `${run}/jobs`)).jobs.map(({ status }) => status);
  // lint and one of the tests are done, the other one is at work
  for (let tries = 0; tries < 40; tries++) {
    const { task } = await runner.call('FetchTask', {});
    if (!task) continue;
    const done = await states();
    const isLast = done.filter((status) => status === 'completed').length === 2;
    const begun = Date.now() - 21_000;
    const at = (second) => new Date(begun + second * 1000).toISOString();
    const rows = testLog.map((content, line) => ({ time: at(line), content }));
    await runner.call('UpdateLog', { taskId: task.id, index: '0', rows, noMore: !isLast });
    const steps = [
      { id: '0', result: 'RESULT_SUCCESS', startedAt: at(1), stoppedAt: at(4), logIndex: '1', logLength: '3' },
      {
        id: '1',
        result: isLast ? 'RESULT_UNSPECIFIED' : 'RESULT_SUCCESS',
        startedAt: at(4),
        ...(!isLast && { stoppedAt: at(19) }),
        logIndex: '4',
        logLength: String(testLog.length - 4),
      },
    ];
    const result = isLast ? 'RESULT_UNSPECIFIED' : 'RESULT_SUCCESS';
    const state = { id: task.id, result, startedAt: at(0), ...(!isLast && { stoppedAt: at(19) }), steps };
    await runner.call('UpdateTask', { state });
    if (isLast) break;
  }
  const { jobs } = await call('GET', `${run}/jobs`);
  return { id: asked.workflow_run_id, job: jobs.find(({ name }) => name === 'test (20)').id };
}

/** Gives the addresses of the pages that are shown. */
export async function fillDemo(server) {
  const call = caller(server);
  await addUsers(call);
  const known = await addHistory(call);
  const board = await addIssues(call);
  const pull = await addPull(call, known);
  const run = await addRun(call, server);
  return {
    repository: '/harbour/ferry',
    review: `/harbour/ferry/pulls/${pull}/files`,
    board: `/harbour/ferry/projects/${board}`,
    actions: `/harbour/ferry/actions/runs/${run.id}/jobs/${run.job}`,
  };
}
