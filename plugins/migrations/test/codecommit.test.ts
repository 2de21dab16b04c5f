import { createHash, createHmac } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { importKinds } from '../contract/source.js';
import { codeCommitSource } from '../sources/codecommit.js';
import { readRepository } from '../testing.js';
import { PlayedService, tools, type PlayedRequest } from './played-service.js';

// Database: SQLite alone: what a source gives reaches no database
export const lab = Lab.script();
const { describe, it, before, after } = lab;

const host = 'codecommit.eu-west-1.amazonaws.com';
const oid = (digit: string) => digit.repeat(40);
const arn = (name: string) => `arn:aws:iam::123456789012:user/${name}`;
const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** As docs.aws.amazon.com says under "Create a signed AWS API request". */
function signatureOf({ headers, body }: PlayedRequest, secret: string): string {
  const authorization = headers.authorization ?? '';
  const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '';
  const all: Record<string, unknown> = { ...headers, host };
  const lines = signed.split(';').map((name) => `${name}:${String(all[name]).trim()}\n`);
  const canonical = ['POST', '/', '', lines.join(''), signed, hash(body)].join('\n');
  const at = String(headers['x-amz-date']);
  const scope = [at.slice(0, 8), 'eu-west-1', 'codecommit', 'aws4_request'];
  const key = scope.reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secret}`);
  return hmac(key, ['AWS4-HMAC-SHA256', at, scope.join('/'), hash(canonical)].join('\n')).toString('hex');
}

const comment = (id: string, content: string, more: object = {}) => ({
  commentId: id,
  content,
  authorArn: arn('ben'),
  creationDate: 1.7e9,
  lastModifiedDate: 1.7e9,
  deleted: false,
  ...more,
});
const pull = (id: string, more: object = {}) => ({
  pullRequestId: id,
  title: `pull ${id}`,
  description: 'please',
  authorArn: arn('ada'),
  creationDate: 1.6e9,
  lastActivityDate: 1.7e9,
  pullRequestStatus: 'OPEN',
  pullRequestTargets: [
    {
      repositoryName: 'mill',
      sourceReference: 'refs/heads/topic',
      sourceCommit: oid('a'),
      destinationReference: 'refs/heads/main',
      destinationCommit: oid('b'),
      mergeMetadata: { isMerged: false },
      ...more,
    },
  ],
});

describe('imports from AWS CodeCommit, by its documented API', () => {
  const waits: object[] = [];
  const answer = (operation: string, input: Readonly<Record<string, unknown>>): unknown => {
    if (operation === 'GetRepository')
      return input.repositoryName === 'mill'
        ? { repositoryMetadata: { repositoryName: 'mill', repositoryDescription: 'grinds', defaultBranch: 'main' } }
        : undefined;
    if (operation === 'ListPullRequests')
      return input.nextToken === 'more' ? { pullRequestIds: ['4'] } : { pullRequestIds: ['7'], nextToken: 'more' };
    if (operation === 'GetPullRequest')
      return {
        pullRequest:
          input.pullRequestId === '7'
            ? pull('7')
            : {
                ...pull('4', {
                  mergeMetadata: { isMerged: true, mergeCommitId: oid('c'), mergedBy: arn('ben') },
                }),
                pullRequestStatus: 'CLOSED',
              },
      };
    if (input.pullRequestId === '7') return { commentsForPullRequestData: [] };
    return {
      commentsForPullRequestData: [
        { afterCommitId: oid('a'), comments: [comment('x:1', 'fine'), comment('x:2', '', { deleted: true })] },
        {
          beforeCommitId: oid('b'),
          afterCommitId: oid('a'),
          location: { filePath: 'a.txt', filePosition: 3, relativeFileVersion: 'BEFORE' },
          comments: [comment('x:3', 'why?'), comment('x:4', 'so', { inReplyTo: 'x:3', authorArn: arn('ada') })],
        },
      ],
    };
  };
  const service = new PlayedService((request) => {
    const wait = waits.shift();
    if (wait) return { status: 400, body: wait };
    const signature = /Signature=([0-9a-f]{64})$/.exec(request.headers.authorization ?? '')?.[1];
    if (signature !== signatureOf(request, 'secret'))
      return { status: 400, body: { __type: 'InvalidSignatureException' } };
    const operation = String(request.headers['x-amz-target']).replace('CodeCommit_20150413.', '');
    const body = answer(operation, JSON.parse(request.body) as Record<string, unknown>);
    return body ? { body } : { status: 400, body: { __type: 'com.amazon#RepositoryDoesNotExistException' } };
  });
  before(() => service.start());
  after(() => service.stop());
  const connect = (name = 'mill', secret = 'secret', at = 'git-codecommit.eu-west-1.amazonaws.com') =>
    codeCommitSource.connect(
      {
        address: `https://${at}/v1/repos/${name}`,
        values: { aws_access_key_id: 'AKID', aws_secret_access_key: secret },
        kinds: new Set(importKinds),
      },
      tools(undefined, { [`https://${host}`]: service.url }),
    );

  it('MIG-01: gives pull requests of all pages with comments, and those at lines as reviews', async () => {
    const all = await readRepository(await connect());
    expect(all.repository).to.include({ name: 'mill', description: 'grinds', defaultBranch: 'main', isPrivate: true });
    expect(all.pullRequests.map(({ number, isMerged, isClosed }) => [number, isMerged, isClosed])).to.equal([
      [7, false, false],
      [4, true, true],
    ]);
    expect(all.pullRequests[1]).to.include({ mergeCommit: oid('c'), mergedAt: 1.7e12, merger: { name: 'ben' } });
    expect(all.pullRequests[1]!.head).to.equal({ branch: 'topic', commit: oid('a') });
    expect(all.comments.map(({ id, issue, body, author }) => [id, issue, body, author.name])).to.equal([
      ['x:1', 4, 'fine', 'ben'],
    ]);
    const [review] = all.reviews;
    expect(review).to.include({ id: 'x:3', pull: 4, state: 'comment' });
    expect(review!.comments.map(({ id, line, side, replyTo }) => [id, line, side, replyTo])).to.equal([
      ['x:3', 3, 'old', undefined],
      ['x:4', 3, 'old', 'x:3'],
    ]);
  });

  it('says what is wrong: no repository, a wrong key, another host', async () => {
    const reasonOf = async (work: Promise<unknown>) => (await expect(work).to.reject()) as object;
    expect(await reasonOf(connect('none'))).to.include({ reason: 'notFound' });
    const refused = await reasonOf(connect('mill', 'hunter22'));
    expect(refused).to.include({ reason: 'unauthorized' });
    expect(String(refused)).not.to.contain('hunter22');
    const asked = service.requests.length;
    for (const at of ['git-codecommit.eu-west-1.amazonaws.com.evil.example', 'evil.example', '127.0.0.1'])
      expect(await reasonOf(connect('mill', 'secret', at))).to.include({ reason: 'notFound' });
    expect(service.requests.length).to.equal(asked);
  });

  it('S4: throttling that comes as status 400 is waited for, and each attempt has a signature of its own', async () => {
    for (const name of ['ThrottlingException', 'com.amazon.coral.availability#ThrottlingException']) {
      const from = service.requests.length;
      waits.push({ __type: name });
      expect((await (await connect()).repository()).name).to.equal('mill');
      const dates = service.requests.slice(from).map(({ headers }) => headers['x-amz-date']);
      expect(dates.length, name).to.be.at.least(2);
      expect(dates[0]).to.not.equal(dates[1]);
    }
  });

  it('S4: a request that waits for a pause is signed behind it', async () => {
    const given = tools(undefined, { [`https://${host}`]: service.url });
    waits.push({ __type: 'ThrottlingException' });
    const address = 'https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/mill';
    const values = { aws_access_key_id: 'AKID', aws_secret_access_key: 'secret' };
    const connecting = () => codeCommitSource.connect({ address, values, kinds: new Set() }, given);
    const began = Date.now();
    const first = connecting();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await Promise.all([first, connecting()]);
    const signed = String(service.requests.at(-1)!.headers['x-amz-date']);
    const [, day = '', hour, minute, second] = /^(\d{8})T(\d\d)(\d\d)(\d\d)Z$/.exec(signed) ?? [];
    const at = Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T${hour}:${minute}:${second}Z`);
    expect(at).to.be.at.least(Math.floor(began / 1000) * 1000 + 1000);
  });
});
