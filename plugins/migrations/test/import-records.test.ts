import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost, type TestResponse } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { repositories } from '@mortise/repositories/api';
import { send } from '@mortise/repositories/testing';
import { type MigrationSource } from '../api.js';
import { repositoryImporter } from '../contract/importer.js';
import { gitBucketSource } from '../sources/gitbucket.js';
import { gitLabSource } from '../sources/gitlab.js';
import { gogsSource } from '../sources/gogs.js';
import { oneDevSource } from '../sources/onedev.js';
import { PlayedService, tools } from './played-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
type Json = TestResponse['json'];

const time = '2024-03-01T10:00:00Z';
const times = { created_at: time, updated_at: time, closed_at: null };
const eve = { id: 7, login: 'eve', username: 'eve', name: 'eve' };
const label = { id: 1, name: 'bug', color: 'ff0000', description: '' };
const milestone = { id: 1, title: 'soon', description: '', state: 'open', ...times };
const issue = { ...times, title: 'squeaks', labels: [label], milestone, assignees: [], user: eve, author: eve };
const release = { id: 1, tag_name: 'v1', name: 'one', target_commitish: 'main', author: eve, ...times };
const comment = { id: 5, body: 'oil it', user: eve, author: eve, system: false, ...times };

interface Row {
  readonly source: MigrationSource;
  /** By path; `head`: a commit of the repository. Every other path is an empty list. */
  answers(head: string): Readonly<Record<string, unknown>>;
  /** Number of the pull request here; absent: the source has none. */
  readonly pull?: number;
  readonly reviews?: readonly string[];
  readonly hasReleases?: true;
}

/** GitHub's kin. */
const gitHubKin = (base: string, head: string) => ({
  [base]: { id: 1, name: 'mill', full_name: 'ada/mill', default_branch: 'main' },
  [`${base}/labels`]: [label],
  [`${base}/milestones`]: [milestone],
  [`${base}/releases`]: [release],
  [`${base}/issues`]: [{ ...issue, number: 1, body: 'at the third turn', state: 'open' }],
  [`${base}/issues/1/comments`]: [comment],
  [`${base}/pulls`]: [
    {
      ...issue,
      number: 2,
      body: '',
      state: 'open',
      head: { ref: 'main', sha: head, repo: { full_name: 'ada/mill' } },
      base: { ref: 'main', sha: head, repo: { full_name: 'ada/mill' } },
    },
  ],
});

const project = '/api/v4/projects/7';
const gitLabIssue = { ...issue, iid: 1, description: 'at the third turn', state: 'opened', labels: ['bug'] };
const rows: readonly Row[] = [
  {
    source: gitLabSource,
    pull: 2,
    reviews: ['COMMENT', 'APPROVED'],
    hasReleases: true,
    answers: (head) => ({
      '/api/v4/projects/ada/mill': { id: 7, path: 'mill', path_with_namespace: 'ada/mill', default_branch: 'main' },
      [`${project}/labels`]: [label],
      [`${project}/milestones`]: [milestone],
      [`${project}/releases`]: [{ ...release, commit: { id: head }, assets: { links: [] } }],
      [`${project}/issues`]: [gitLabIssue],
      [`${project}/issues/1/notes`]: [comment],
      [`${project}/merge_requests`]: [{ ...gitLabIssue, source_branch: 'main', target_branch: 'main', sha: head }],
      [`${project}/merge_requests/1`]: { sha: head, diff_refs: { base_sha: head, head_sha: head } },
      [`${project}/merge_requests/1/approvals`]: { approved_by: [{ user: eve }] },
      [`${project}/merge_requests/1/discussions`]: [
        {
          id: 'd1',
          notes: [
            {
              ...comment,
              id: 9,
              type: 'DiffNote',
              position: { head_sha: head, base_sha: head, new_path: 'README.md', new_line: 1, position_type: 'text' },
            },
          ],
        },
      ],
    }),
  },
  {
    source: gitBucketSource,
    pull: 2,
    reviews: [],
    hasReleases: true,
    answers: (head) => gitHubKin('/api/v3/repos/ada/mill', head),
  },
  { source: gogsSource, hasReleases: true, answers: (head) => gitHubKin('/api/v1/repos/ada/mill', head) },
  {
    source: oneDevSource,
    pull: 2,
    reviews: ['APPROVED'],
    answers: (head) => ({
      '/~api/projects': [{ id: 7, name: 'mill' }],
      '/~api/projects/7/iterations': [{ id: 1, name: 'soon', closed: false }],
      '/~api/issues': [
        {
          id: 31,
          number: 1,
          title: 'squeaks',
          description: 'at the third turn',
          state: 'Open',
          submitterId: 7,
          submitDate: time,
          fields: [{ name: 'Type', value: 'bug' }],
        },
      ],
      '/~api/issues/31/iterations': [{ id: 1, name: 'soon' }],
      '/~api/issues/31/comments': [{ id: 5, content: 'oil it', userId: 7, date: time }],
      '/~api/users/7': eve,
      '/~api/pulls': [
        {
          id: 41,
          number: 1,
          title: 'squeaks',
          submitterId: 7,
          submitDate: time,
          status: 'OPEN',
          sourceBranch: 'main',
          targetBranch: 'main',
        },
      ],
      '/~api/pulls/41/merge-preview': { headCommitHash: head, targetHeadCommitHash: head },
      '/~api/pulls/41/reviews': [{ id: 3, userId: 7, status: 'APPROVED', statusDate: time }],
    }),
  },
];

describe('imports of all records of other services', () => {
  let host: TestHost;
  let cas: SignedIn;
  before(async () => {
    host = await startHost({ plugins: ['migrations', 'refs'] });
    cas = await signUp(host, 'cas');
  });
  after(() => host?.close());

  for (const { source, answers, pull, reviews, hasReleases } of rows)
    it(`MIG-01: ${source.key}: writes everything with original numbers, times and authors, and nothing twice`, async () => {
      const name = `from-${source.key}`;
      const made = await send(cas, 'POST', '/user/repos', { name, auto_init: true, default_branch: 'main' });
      expect(made.statusCode, made.payload).to.equal(201);
      const read = async (path: string): Promise<Json> => {
        const answer = await send(cas, 'GET', `/repos/cas/${name}${path}`);
        expect(answer.statusCode, `${path}: ${answer.payload}`).to.equal(200);
        return answer.json;
      };
      const head: string = (await read('/branches/main')).commit.id;
      const all = answers(head);
      const service = new PlayedService(({ path, query }) => ({
        body:
          Number(query.get('page') ?? 1) > 1 || query.get('state') === 'closed'
            ? []
            : (all[decodeURIComponent(path)] ?? []),
      }));
      await service.start();
      try {
        const kinds = new Set(source.kinds);
        const reader = await source.connect({ address: `${service.url}/ada/mill.git`, values: {}, kinds }, tools());
        const repository = (await host.services.get(repositories).byPath('cas', name))!;
        const { signal } = new AbortController();
        const authors = { by: 'none', accounts: {} } as const;
        for (let times = 0; times < 2; times++)
          await host.services
            .get(repositoryImporter)
            .run({ repository, reader, kinds, actor: cas.actor, authors, signal });
      } finally {
        await service.stop();
      }
      const issues: Json[] = await read('/issues?state=all&type=issues');
      expect(issues).to.have.length(1);
      expect(issues[0]).to.include({
        number: 1,
        title: 'squeaks',
        body: 'at the third turn',
        original_author: 'eve',
        original_author_id: 7,
        created_at: time,
        comments: 1,
      });
      expect([issues[0].labels[0].name, issues[0].milestone.title]).to.equal(['bug', 'soon']);
      expect((await read('/issues/1/comments')).map((one: Json) => [one.body, one.original_author])).to.equal([
        ['oil it', 'eve'],
      ]);
      expect((await read('/releases?draft=true')).length).to.equal(hasReleases ? 1 : 0);
      expect((await read('/pulls?state=all')).map((one: Json) => one.number)).to.equal(pull ? [pull] : []);
      if (!pull) return;
      expect(await read(`/issues/${pull}`)).to.include({ original_author: 'eve', comments: 0 });
      const states = (await read(`/pulls/${pull}/reviews`)).map((one: Json) => one.state);
      expect(states).to.equal(reviews);
    });
});
