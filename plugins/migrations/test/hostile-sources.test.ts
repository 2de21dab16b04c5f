import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { type MigrationSource } from '../api.js';
import { SourceFailure, importKinds, type SourcePages, type SourceReader } from '../contract/source.js';
import { codebaseSource } from '../sources/codebase.js';
import { codeCommitSource } from '../sources/codecommit.js';
import { gitBucketSource } from '../sources/gitbucket.js';
import { giteaSource } from '../sources/gitea.js';
import { gitHubSource } from '../sources/github.js';
import { gitLabSource } from '../sources/gitlab.js';
import { gogsSource } from '../sources/gogs.js';
import { oneDevSource } from '../sources/onedev.js';
import { PlayedService, tools, type PlayedAnswer, type PlayedRequest } from './played-service.js';

// Database: SQLite alone: what a source gives reaches no database
export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Row {
  readonly source: MigrationSource;
  /** Where the real service would be asked; absent: at the address of the repository. */
  readonly origin?: string;
  readonly address?: string;
  /** That the repository is there. */
  readonly isRepository: (request: PlayedRequest) => boolean;
  readonly repository: unknown;
  /** Language of the answers; default JSON. */
  readonly isXml?: true;
}

const record = { id: 7, name: 'mill', path: 'mill', path_with_namespace: 'ada/mill', full_name: 'ada/mill' };
const at = (path: string) => (request: PlayedRequest) => request.path === path;
const rows: readonly Row[] = [
  { source: giteaSource, isRepository: at('/api/v1/repos/ada/mill'), repository: record },
  { source: gogsSource, isRepository: at('/api/v1/repos/ada/mill'), repository: record },
  { source: gitHubSource, isRepository: at('/api/v3/repos/ada/mill'), repository: record },
  { source: gitBucketSource, isRepository: at('/api/v3/repos/ada/mill'), repository: record },
  {
    source: gitLabSource,
    isRepository: ({ path }) => decodeURIComponent(path) === '/api/v4/projects/ada/mill',
    repository: record,
  },
  { source: oneDevSource, isRepository: at('/~api/projects'), repository: [record] },
  {
    source: codebaseSource,
    origin: 'https://api3.codebasehq.com',
    address: 'https://acme.codebasehq.com/ada/mill.git',
    isRepository: at('/ada/mill'),
    repository: '<repository><name>mill</name></repository>',
    isXml: true,
  },
  {
    source: codeCommitSource,
    origin: 'https://codecommit.eu-west-1.amazonaws.com',
    address: 'https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/mill',
    isRepository: ({ headers }) => String(headers['x-amz-target']).endsWith('.GetRepository'),
    repository: { repositoryMetadata: {} },
  },
];

const maxPages = 20;
const subject = { number: 1, isPull: true };
const lists = (reader: SourceReader): (SourcePages<unknown> | undefined)[] => [
  reader.labels?.(),
  reader.milestones?.(),
  reader.releases?.(),
  reader.issues?.(),
  reader.pullRequests?.(),
  reader.comments?.(),
  reader.commentsOf?.({ number: 1, isPull: false }),
  reader.commentsOf?.(subject),
  reader.reviewsOf?.(subject),
];

/** How many records the first pages hold, or why the source was refused; throws what is neither. */
async function outcomeOf(pages: SourcePages<unknown>): Promise<number | string> {
  let [count, page] = [0, 0];
  try {
    for await (const { items, next } of pages) {
      expect(next === undefined || next.length <= 500).to.be.true();
      count += items.length;
      if (++page >= maxPages) break;
    }
    return count;
  } catch (error) {
    if (SourceFailure.is(error)) return error.reason;
    throw error;
  }
}

describe('sources that mean harm, of every kind', () => {
  let answer: (request: PlayedRequest, url: string) => PlayedAnswer;
  let row: Row;
  const service = new PlayedService((request, url) => {
    if (row.isRepository(request)) return { body: row.repository };
    return answer(request, url);
  });
  before(() => service.start());
  after(() => service.stop());

  const connect = (one: Row) => {
    row = one;
    return one.source.connect(
      {
        address: one.address ?? `${service.url}/ada/mill.git`,
        values: { auth_username: 'ada', auth_password: 'secret', aws_access_key_id: 'a', aws_secret_access_key: 'b' },
        kinds: new Set(importKinds),
      },
      tools(undefined, one.origin ? { [one.origin]: service.url } : {}),
    );
  };
  /** Of each list; a source that asks for more when it connects may be refused there. */
  const outcomes = async (one: Row): Promise<(number | string)[]> => {
    const reader = await connect(one).catch((error: unknown) => {
      if (SourceFailure.is(error)) return error.reason;
      throw error;
    });
    if (typeof reader === 'string') return [reader];
    const found: (number | string)[] = [];
    for (const pages of lists(reader)) if (pages) found.push(await outcomeOf(pages));
    return found;
  };

  for (const one of rows) {
    const { key } = one.source;

    it(`S4: ${key}: answers of any shape end with a reason, or are read as far as they can be`, async () => {
      const deep = (depth: number): unknown => (depth ? [deep(depth - 1)] : null);
      const odd = {
        id: {},
        number: 'x',
        iid: [],
        title: 5,
        name: {},
        user: 'x',
        labels: 'x',
        comments: 3,
        created_at: {},
      };
      const shapes: readonly unknown[] = one.isXml
        ? [
            '',
            '<',
            '<html><body><p>',
            '<a/>',
            '<a><ticket/></a>',
            '<tickets><ticket>x</ticket></tickets>',
            '<a>'.repeat(50_000),
          ]
        : [
            null,
            5,
            true,
            {},
            [],
            [null],
            [[]],
            [5, 'x'],
            deep(500),
            [odd],
            { pullRequestIds: 'x', commentsForPullRequestData: [odd] },
          ];
      for (const shape of shapes) {
        answer = () => ({ body: typeof shape === 'string' || shape !== null ? shape : 'null' });
        await outcomes(one);
      }
      answer = () => ({ body: '<html>Sign in</html>' });
      if (!one.isXml)
        for (const outcome of await outcomes(one)) expect([0, 'invalidData'], String(outcome)).to.include(outcome);
    });

    it(`S4: ${key}: a page of more records than any service gives is refused`, async () => {
      const many = Array.from({ length: 2000 }, (_, n) => ({ id: n, number: n, iid: n, name: `l${n}` }));
      answer = () => ({
        body: one.isXml
          ? `<tickets>${'<ticket><ticket-id>1</ticket-id></ticket>'.repeat(100_000)}</tickets>`
          : one.source === codeCommitSource
            ? { pullRequestIds: many.map(({ id }) => String(id)), commentsForPullRequestData: many }
            : many,
      });
      for (const outcome of await outcomes(one))
        if (typeof outcome === 'number') expect(outcome, 'records').to.be.at.most(2000);
        else expect(['invalidData', 'tooLarge', 'notOffered']).to.include(outcome);
    });

    it(`S4: ${key}: pages that lead on without end are asked for as they are read, and not before`, async () => {
      answer = ({ path }, url) => ({
        headers: {
          link: `<${url}${path}?page=2&cursor=x>; rel="next"`,
          'x-next-page': '2',
          'x-total-count': '1000000000',
        },
        body: one.isXml ? '<tickets/>' : one.source === codeCommitSource ? { nextToken: 'more' } : [],
      });
      const reader = await connect(one).catch((error: unknown) => error);
      if (SourceFailure.is(reader)) return;
      for (const pages of lists(reader as SourceReader)) {
        if (!pages) continue;
        const asked = service.requests.length;
        await pages[Symbol.asyncIterator]().next();
        expect(service.requests.length - asked, key).to.be.at.most(150);
      }
    });

    it(`S4: ${key}: a redirect takes no credentials to another host`, async () => {
      answer = ({ headers }, url) =>
        String(headers.host).startsWith('localhost')
          ? { body: [] }
          : { status: 307, headers: { location: `${url.replace('127.0.0.1', 'localhost')}/elsewhere` }, body: '' };
      await outcomes(one);
      const elsewhere = service.requests.filter(({ headers }) => String(headers.host).startsWith('localhost'));
      expect(elsewhere.filter(({ headers }) => headers.authorization ?? headers['private-token'])).to.equal([]);
    });

    it(`S4: ${key}: errors are told without credentials`, async () => {
      answer = () => ({ status: 500, body: { message: 'ada:secret' } });
      const reader = await connect(one).catch((error: unknown) => error);
      const failures = SourceFailure.is(reader) ? [reader] : [];
      if (!SourceFailure.is(reader))
        for (const pages of lists(reader as SourceReader))
          if (pages)
            failures.push(
              ...(await Promise.resolve(pages[Symbol.asyncIterator]().next()).then(
                () => [],
                (error: SourceFailure) => [error],
              )),
            );
      for (const failure of failures) {
        expect(SourceFailure.is(failure), String(failure)).to.be.true();
        expect(failure.message).not.to.contain('secret');
      }
    });
  }
});
