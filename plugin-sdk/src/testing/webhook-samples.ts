/** Payloads as receivers get them: plain ones, and ones with text that formatters stumble over. */
const user = (login: string) => ({
  id: 2,
  login,
  login_name: '',
  full_name: '',
  email: `${login}@example.com`,
  avatar_url: '',
  html_url: `http://localhost:3000/${login}`,
  username: login,
});

const repository = (name: string, description = '') => ({
  id: 1,
  owner: user('ada'),
  name,
  full_name: `ada/${name}`,
  description,
  private: false,
  fork: false,
  html_url: `http://localhost:3000/ada/${name}`,
  clone_url: `http://localhost:3000/ada/${name}.git`,
  ssh_url: `git@localhost:ada/${name}.git`,
  default_branch: 'main',
});

const commit = (message: string) => ({
  id: '3f786850e387550fdab836ed7e6dc881de23001b',
  message,
  url: 'http://localhost:3000/ada/engine/commit/3f786850e387550fdab836ed7e6dc881de23001b',
  author: { name: 'Ada', email: 'ada@example.com', username: 'ada' },
  committer: { name: 'Ada', email: 'ada@example.com', username: 'ada' },
  timestamp: '2026-01-02T03:04:05Z',
  added: ['notes.md'],
  removed: [],
  modified: [],
  verification: null,
});

const push = (messages: readonly string[], name = 'engine') => ({
  ref: 'refs/heads/main',
  before: '0000000000000000000000000000000000000000',
  after: '3f786850e387550fdab836ed7e6dc881de23001b',
  compare_url: 'http://localhost:3000/ada/engine/compare/a...b',
  commits: messages.map(commit),
  total_commits: messages.length,
  head_commit: messages.length ? commit(messages.at(-1)!) : null,
  repository: repository(name, 'A <b>difference</b> & analytical engine'),
  pusher: user('ada'),
  sender: user('ada'),
});

const home = 'http://localhost:3000/ada/engine';
/** What formatters stumble over. */
const hostile = '<b>&amp; "x" | `y` *z* [a](javascript:b) {{c}} 😀 \u202e @everyone <!channel>';
const label = { id: 1, name: 'kind/bug', color: 'ee0701' };
const issue = (title = 'Arch') => ({
  id: 7,
  number: 7,
  title,
  body: title,
  html_url: `${home}/issues/7`,
  user: user('ada'),
  labels: [label],
  assignees: [],
  comments: 1,
});
const pull = (title = 'Arch') => ({
  ...issue(title),
  number: 8,
  html_url: `${home}/pulls/8`,
  merged: false,
  requested_reviewers: [user('ben')],
});
const comment = (body = 'Well done') => ({
  id: 9,
  body,
  html_url: `${home}/issues/7#issuecomment-9`,
  user: user('ben'),
});
const of = (event: string, payload: object) => [
  { event, payload: { repository: repository('engine'), sender: user('ada'), ...payload } },
];

/** Of each kind of event (HOK-27). */
export const sampleEvents: readonly { readonly event: string; readonly payload: object }[] = [
  { event: 'push', payload: push(['Add the first note']) },
  { event: 'push', payload: push([]) },
  {
    event: 'push',
    payload: push([
      '<script>alert(1)</script> & "quotes" | pipes `ticks` *stars*',
      'Zwölf Boxkämpfer 😀 \u202e rtl',
      'x'.repeat(20_000),
    ]),
  },
  { event: 'push', payload: push(Array.from({ length: 60 }, (_, index) => `Change ${index}\n\nwith a body`)) },
  {
    event: 'create',
    payload: {
      sha: '3f786850e387550fdab836ed7e6dc881de23001b',
      ref: 'topic/😀',
      ref_type: 'branch',
      repository: repository('engine'),
      sender: user('ada'),
    },
  },
  {
    event: 'create',
    payload: {
      sha: '3f786850e387550fdab836ed7e6dc881de23001b',
      ref: 'v1.0',
      ref_type: 'tag',
      repository: repository('engine'),
      sender: user('ada'),
    },
  },
  {
    event: 'delete',
    payload: {
      ref: 'topic',
      ref_type: 'branch',
      pusher_type: 'user',
      repository: repository('engine'),
      sender: user('ada'),
    },
  },
  {
    event: 'repository',
    payload: { action: 'created', repository: repository('engine'), organization: user('ada'), sender: user('ada') },
  },
  {
    event: 'repository',
    payload: { action: 'deleted', repository: repository('engine'), organization: user('ada'), sender: user('ada') },
  },
  {
    event: 'fork',
    payload: { forkee: repository('engine'), repository: repository('engine-fork'), sender: user('ada') },
  },
  ...of('issues', { action: 'opened', number: 7, issue: issue() }),
  ...of('issues', { action: 'edited', number: 7, issue: issue(hostile), changes: { title: { from: hostile } } }),
  ...of('issues', { action: 'deleted', number: 7, issue: issue() }),
  ...of('issue_assign', {
    action: 'assigned',
    number: 7,
    issue: { ...issue(), assignees: [user('ada'), user('ben')] },
  }),
  ...of('issue_label', { action: 'label_updated', number: 7, issue: issue(), changes: { added_labels: [label] } }),
  ...of('issue_label', { action: 'label_cleared', number: 7, issue: { ...issue(), labels: [] } }),
  ...of('issue_milestone', { action: 'milestoned', number: 7, issue: { ...issue(), milestone: { title: hostile } } }),
  ...of('issue_milestone', { action: 'demilestoned', number: 7, issue: { ...issue(), milestone: null } }),
  ...of('issue_comment', { action: 'created', issue: issue(), comment: comment(hostile), is_pull: false }),
  ...of('pull_request_comment', {
    action: 'edited',
    issue: issue(),
    comment: comment(),
    pull_request: pull(),
    is_pull: true,
  }),
  ...of('pull_request', { action: 'opened', number: 8, pull_request: pull(hostile) }),
  ...of('pull_request', { action: 'closed', number: 8, pull_request: { ...pull(), merged: true } }),
  ...of('pull_request_sync', { action: 'synchronized', number: 8, pull_request: pull(), before: 'a', after: 'b' }),
  ...of('pull_request_review_request', {
    action: 'review_requested',
    number: 8,
    pull_request: pull(),
    requested_reviewer: user('ben'),
  }),
  ...['approved', 'rejected', 'comment'].flatMap((kind) =>
    of(`pull_request_review_${kind}`, {
      action: 'reviewed',
      number: 8,
      pull_request: pull(),
      review: { type: `pull_request_review_${kind}`, content: kind === 'comment' ? hostile : '' },
    }),
  ),
  ...of('wiki', { action: 'created', page: 'Home & away', comment: hostile }),
  ...of('release', {
    action: 'published',
    release: {
      tag_name: 'v1.0',
      name: hostile,
      body: hostile,
      html_url: `${home}/releases/tag/v1.0`,
      author: user('ada'),
    },
  }),
  ...of('package', {
    action: 'created',
    repository: null,
    package: { type: 'npm', name: '@ada/engine', version: '1.0.0', html_url: `${home}/-/packages`, owner: user('ada') },
    organization: null,
  }),
  ...of('status', {
    context: hostile,
    state: 'failure',
    sha: commit('x').id,
    description: hostile,
    target_url: '',
    commit: commit(hostile),
  }),
  ...of('workflow_run', {
    action: 'completed',
    workflow: { name: hostile },
    workflow_run: {
      id: 1,
      display_title: hostile,
      status: 'completed',
      conclusion: 'failure',
      html_url: `${home}/actions/runs/1`,
    },
  }),
  ...of('workflow_job', {
    action: 'queued',
    workflow_job: { id: 1, name: hostile, status: 'queued', conclusion: null, html_url: `${home}/actions/runs/1` },
  }),
];
