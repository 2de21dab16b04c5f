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
];
