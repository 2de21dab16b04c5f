// Fills a fresh server so that no page of the list in pages.mjs is empty.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { importHistory } from './history.mjs';
import { registerRunner } from '../support/runner-calls.mjs';

export const grace = 'grace:Tr1cky-passw0rd!';

const home = '/repos/root/wheel';
const base64 = (text) => Buffer.from(text).toString('base64');

/** Calls the API and throws where it refuses. */
const caller =
  (server) =>
  async (method, path, body, as = 'root:password') => {
    const answer = await server.api(method, path, { body, as });
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };

/** The account grace, and the repository root/wheel with a history. */
export async function seedHistory(server) {
  const call = caller(server);
  const [username, password] = grace.split(':');
  await call('POST', '/admin/users', { username, password, email: 'grace@example.com', must_change_password: false });
  await call('POST', '/user/repos', { name: 'wheel', description: 'It turns' });
  const bare = join(server.folder, 'seed.git');
  spawnSync('git', ['init', '-q', '--bare', '-b', 'main', bare]);
  await importHistory(bare);
  const push = await server.git(['push', '-q', '--mirror', `${server.base}/root/wheel.git`], { cwd: bare });
  if (push.code !== 0) throw new Error(push.err);
  await call('POST', '/user/repos', { name: 'empty' });
}

/** Names and texts that no window is wide enough for. */
export const long = {
  branch: `feature/${'that-goes-on-'.repeat(6)}and-on`,
  file: `${'deeper/'.repeat(9)}${'AVeryLongNameOfAFileWithoutAnyBreak'.repeat(3)}.md`,
  tag: `release-${'of-the-year-'.repeat(6)}2026`,
};

async function seedLong(call) {
  const unbroken = 'Unbroken'.repeat(40);
  const text = `# ${unbroken}\n\n${unbroken}\n\n\`${unbroken}\`\n\n    ${unbroken}\n\n| ${'Wide | '.repeat(30)}\n| ${'--- | '.repeat(30)}\n| ${'column | '.repeat(30)}\n\nhttps://example.com/${unbroken}\n`;
  await call('POST', `${home}/contents/${long.file}`, {
    content: base64(text),
    message: `${unbroken}\n\n${unbroken} and ${'more words '.repeat(60)}`,
    new_branch: long.branch,
    branch: 'main',
  });
  await call('POST', `${home}/releases`, {
    tag_name: long.tag,
    target_commitish: long.branch,
    name: unbroken.slice(0, 200),
    body: text,
    prerelease: true,
  });
  await call('POST', `${home}/wiki/new`, { title: 'Words '.repeat(20).trim(), content_base64: base64(text) });
}

/** The organization works of root, with repositories and teams; grace is in one of them. */
async function seedOrganization(call) {
  await call('POST', '/orgs', {
    username: 'works',
    full_name: 'The Works',
    description: 'Wheels, and what turns with them',
    website: 'https://example.com/works',
    location: 'Here and there',
    email: 'works@example.com',
  });
  for (const name of ['engine', 'plans']) await call('POST', '/orgs/works/repos', { name, private: name === 'plans' });
  const team = (name, more = {}) =>
    call('POST', '/orgs/works/teams', {
      name,
      description: 'They build what others have drawn',
      permission: 'write',
      units_map: { 'repo.code': 'write', 'repo.releases': 'read' },
      ...more,
    });
  const { id } = await team('builders', { visibility: 'limited' });
  await team('Everybody-who-has-a-rather-long-name-of-a-team', { permission: 'admin', visibility: 'public' });
  await call('PUT', `/teams/${id}/members/grace`);
  await call('PUT', `/teams/${id}/repos/works/plans`);
  await call('PUT', '/orgs/works/public_members/root');
  await call('POST', '/orgs/works/labels', { name: 'team/builders', color: '#5319e7', exclusive: true });
  await call('POST', '/user/applications/oauth2', { name: 'Reader', redirect_uris: ['https://reader.example/back'] });
}

const form = `name: Bug
about: Something does not turn
title: "Bug: "
labels: [kind/bug]
body:
  - type: markdown
    attributes: { value: 'Thanks for *telling*.' }
  - type: input
    id: version
    attributes: { label: Version, description: As it stands below }
    validations: { required: true }
  - type: textarea
    attributes: { label: What happens, render: shell }
  - type: dropdown
    attributes: { label: Where, options: [Here, There] }
  - type: checkboxes
    attributes: { label: Before, options: [{ label: I have searched, required: true }] }
`;

/** Issues of root/wheel with labels, a milestone and what happens to issues. */
async function seedIssues(call) {
  const label = async (name, color) => (await call('POST', `${home}/labels`, { name, color, exclusive: true })).id;
  const labels = [await label('kind/bug', '#ee0701'), await label('state/waits', '#fbca04')];
  const { id } = await call('POST', `${home}/milestones`, { title: 'Version 2', description: 'It *turns* on its own' });
  const body = `It squeaks, @grace, see #2.\n\n- [ ] oil it\n- [x] look at it\n\n${'Unbroken'.repeat(40)}`;
  const issue = { title: 'The wheel squeaks :tada:', body, labels, milestone: id, assignees: ['grace'] };
  await call('POST', `${home}/issues`, issue);
  await call('POST', `${home}/issues`, { title: 'Unbroken'.repeat(25), body: 'root/wheel#1', labels: [labels[0]] });
  await call('POST', `${home}/contents/.mortise/ISSUE_TEMPLATE/bug.yaml`, { content: base64(form), message: 'A form' });
  const one = `${home}/issues/1`;
  await call('POST', `${one}/comments`, { body: 'I have **seen** it.' }, grace);
  await call('POST', `${one}/reactions`, { content: 'heart' }, grace);
  await call('PATCH', one, { title: 'The wheel squeaks', body: `${body}\n`, due_date: '2025-01-01T00:00:00Z' });
  await call('DELETE', `${one}/labels/${labels[1]}`);
  await call('POST', `${one}/dependencies`, { owner: 'root', repo: 'wheel', index: 2 });
  await call('POST', `${one}/pin`);
  await call('PUT', `${one}/lock`, { lock_reason: 'resolved' });
  await call('PATCH', one, { state: 'open' });
  await call('POST', `${one}/times`, { time: 5400 });
}

/** Boards of root/wheel and of root, with the issues of root/wheel as cards. */
async function seedProjects(call) {
  const issues = await call('GET', `${home}/issues`);
  for (const [at, description] of [
    [`${home}/projects`, 'What *turns* next'],
    ['/user/projects', ''],
  ]) {
    const board = { title: 'Sprint', description, template_type: 'basic_kanban', card_type: 'images_and_text' };
    const { id } = await call('POST', at, board);
    const [first, second] = await call('GET', `${at}/${id}/columns`);
    await call('PATCH', `${at}/${id}/columns/${second.id}`, { color: '#1f883d', card_limit: 1 });
    for (const [index, issue] of issues.entries())
      await call('POST', `${at}/${id}/columns/${(index ? second : first).id}/issues/${issue.id}`);
  }
}

/** Pull requests of root/wheel in every state: 3 is open with checks, 4 a draft with conflicts, 5 merged, 6 closed. */
async function seedPulls(call) {
  const write = (branch, path, text, more = {}) =>
    call('POST', `${home}/contents/${path}`, { content: base64(text), message: `Write ${path}`, branch, ...more });
  const propose = async (head, title, body = '') =>
    call('POST', `${home}/pulls`, { head, base: 'main', title, body, assignees: ['grace'] });
  await write('main', 'lib/spoke.js', 'turn();\n', { new_branch: 'spokes' });
  await write('spokes', 'docs/spokes.md', '# Spokes\n\nThey hold the rim.\n');
  await write('main', 'docs/rim.md', 'Round\n', { new_branch: `rim/${'that-goes-round-and-'.repeat(4)}round` });
  await write('main', 'docs/hub.md', 'In the middle\n', { new_branch: 'hub' });
  await write('main', 'docs/tyre.md', 'Soft\n', { new_branch: 'tyre' });
  const open = await propose('spokes', 'Add spokes', 'Closes #1.\n\n- [ ] try it');
  await propose(`rim/${'that-goes-round-and-'.repeat(4)}round`, 'WIP: A rim', 'Not yet.');
  const hub = await propose('hub', 'Put the hub in the middle');
  const tyre = await propose('tyre', 'Softer tyres');
  const states = ['success', 'pending', 'failure'];
  for (const [at, state] of states.entries())
    await call('POST', `${home}/statuses/${open.head.sha}`, {
      state,
      context: `ci/step-${at}`,
      description: `Step ${at} of the pipeline`,
      target_url: 'https://example.com/ci',
    });
  await call('POST', `${home}/issues/${open.number}/comments`, { body: 'Looks **round** to me.' }, grace);
  await seedReviews(call, `${home}/pulls/${open.number}`);
  await call('POST', `${home}/pulls/${hub.number}/merge`, { do: 'merge' });
  await call('PATCH', `${home}/pulls/${tyre.number}`, { state: 'closed' });
  await write('main', 'docs/rim.md', 'Square\n');
  return { open: open.number, draft: open.number + 1, merged: hub.number, closed: tyre.number };
}

/** One review that was sent, with a suggestion and a settled conversation, and one that root has not sent yet. */
async function seedReviews(call, pull) {
  const path = 'docs/spokes.md';
  const suggestion = 'Shorter:\n\n```suggestion\nThey hold it.\n```';
  const comments = [
    { path, new_position: 3, body: suggestion },
    { path, new_position: 3, start_position: 1, body: 'Is this **needed**?' },
  ];
  const body = 'Two things.';
  const { id } = await call('POST', `${pull}/reviews`, { event: 'REQUEST_CHANGES', body, comments }, grace);
  const [first, second] = await call('GET', `${pull}/reviews/${id}/comments`);
  await call('POST', `${pull}/comments/${first.id}/replies`, { body: 'Good idea.' });
  await call('POST', `${home}/pulls/comments/${second.id}/resolve`);
  const later = [{ path: 'lib/spoke.js', new_position: 1, body: 'To be *turned*.' }];
  await call('POST', `${pull}/reviews`, { event: 'PENDING', comments: later });
}

const weave = `name: Weave
on:
  workflow_dispatch:
    inputs:
      yarn: { type: choice, options: [wool, silk], description: What is woven }
      quick: { type: boolean }
jobs:
  warp:
    runs-on: loom
    environment: { name: loft, url: 'https://loft.example/' }
    steps: [{ name: Stretch it, run: warp }, { run: warp --more }]
  weft:
    needs: warp
    strategy: { matrix: { side: [left, right] } }
    runs-on: loom
    steps: [{ run: weft }]
`;
const logOfWarp = [
  'Set up',
  '##[group]Stretch',
  'in a group',
  '##[endgroup]',
  '\u001b[31mred\u001b[0m, \u001b[1;32mgreen\u001b[0m and plain',
  '::warning::Loose',
  `##[error]${'Unbroken'.repeat(40)}`,
];

/** A run of root/mill, done twice, whose first job failed, and the runner that did it. */
async function seedRun(call, server) {
  const mill = '/repos/root/mill';
  await call('POST', '/user/repos', { name: 'mill', auto_init: true, default_branch: 'main' });
  await call('POST', `${mill}/contents/.mortise/workflows/weave.yml`, { content: base64(weave), message: 'Weave' });
  const { token } = await call('POST', '/admin/actions/runners/registration-token');
  const runner = await registerRunner(server.base, { name: 'jacquard', token, labels: ['loom'] });
  const asked = await call('POST', `${mill}/actions/workflows/weave.yml/dispatches?return_run_details=true`, {
    ref: 'main',
  });
  const run = `${mill}/actions/runs/${asked.workflow_run_id}`;
  const fail = async () => {
    let task;
    while (!task) ({ task } = await runner.call('FetchTask', {}));
    const at = (second) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();
    const rows = logOfWarp.map((content, line) => ({ time: at(line), content }));
    await runner.call('UpdateLog', { taskId: task.id, index: '0', rows, noMore: true });
    const steps = [
      { id: '0', result: 'RESULT_SUCCESS', startedAt: at(1), stoppedAt: at(4), logIndex: '1', logLength: '3' },
      { id: '1', result: 'RESULT_FAILURE', startedAt: at(4), stoppedAt: at(7), logIndex: '4', logLength: '3' },
    ];
    const state = { id: task.id, result: 'RESULT_FAILURE', startedAt: at(0), stoppedAt: at(8), steps };
    await runner.call('UpdateTask', { state });
  };
  await fail();
  await call('POST', `${run}/rerun-failed-jobs`);
  await fail();
  const { jobs } = await call('GET', `${run}/jobs`);
  return { id: asked.workflow_run_id, job: jobs[0].id, runner: runner.id };
}

/** The same with a release, a wiki, rules, a hook, a collaborator and a fork; gives what pages.mjs asks for. */
export async function seed(server) {
  const call = caller(server);
  await seedHistory(server);
  await call('POST', `${home}/releases`, { tag_name: 'v1.1', name: 'Version 1.1', body: 'It *turns* better.' });
  for (const [title, text] of [
    ['Home', '# Hello\n\nSee [[Guide]].'],
    ['Guide', 'Read this.'],
    ['_Sidebar', '[[Home]] [[Guide]]'],
  ])
    await call('POST', `${home}/wiki/new`, { title, content_base64: base64(text) });
  await call('PUT', `${home}/topics`, { topics: ['wheel', 'math'] });
  await call('POST', `${home}/branch_protections`, { rule_name: 'release/*', enable_push: true });
  await call('PUT', `${home}/collaborators/grace`, { permission: 'write' });
  await call('POST', `${home}/hooks`, {
    type: 'mortise',
    config: { url: 'http://127.0.0.1:9/x', content_type: 'json' },
    events: ['push'],
  });
  await call('POST', `${home}/forks`, {}, grace);
  await call('PUT', '/user/starred/root/wheel', undefined, grace);
  await call('POST', '/user/repos', {
    name: 'a-rather-long-name-that-goes-on-and-on-for-phones',
    description: 'A description that needs more than one line wherever the window is narrow',
    auto_init: true,
  });
  await seedIssues(call);
  await seedProjects(call);
  const pulls = await seedPulls(call);
  const run = await seedRun(call, server);
  await seedOrganization(call);
  await seedLong(call);
  // nobody asks it: it is switched off
  const people = ['--user-search-base', 'ou=people,dc=example,dc=com', '--user-filter', '(uid=%s)', '--not-active'];
  const added = server.cli('admin', 'auth', 'add-ldap', '--name', 'Directory', '--host', 'ldap.invalid', ...people);
  if (added.code !== 0) throw new Error(added.err);
  const provider = ['--provider', 'openidConnect', '--auto-discover-url', 'https://id.invalid', '--key', 'wheel'];
  const other = server.cli('admin', 'auth', 'add-oauth', '--name', 'Example ID', ...provider);
  if (other.code !== 0) throw new Error(other.err);
  const { commit } = await call('GET', `${home}/branches/topic`);
  await call('POST', `${home}/statuses/${commit.id}`, { state: 'success', context: 'build', description: 'Built' });
  return {
    file: 'lib/turn.js',
    folder: 'docs',
    picture: 'art/wheel.svg',
    tag: 'v1.1',
    base: 'v1.0',
    commit: commit.id,
    pulls,
    run,
  };
}
