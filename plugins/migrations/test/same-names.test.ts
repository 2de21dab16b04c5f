/** Labels and milestones of one name stay apart, as far as the source says which it means. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { repositories } from '@mortise/repositories/api';
import { send } from '@mortise/repositories/testing';
import { repositoryImporter } from '../contract/importer.js';
import type { SourceReader } from '../contract/source.js';
import { everything, startSource, startTarget, type SourceSite } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Described {
  readonly description: string;
}
interface Issue {
  readonly number: number;
  readonly milestone: Described | null;
  readonly labels: readonly Described[];
}

describe('labels and milestones of one name', { timeout: 120_000 }, () => {
  let source: SourceSite;
  let host: TestHost;
  let cas: SignedIn;
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mortise-names-'));
    source = await startSource('mill', ['migrations', 'organizations']);
    const { ask, ada } = source;
    for (const [title, which] of [
      ['V1', 'first'],
      ['V1', 'second'],
    ] as const) {
      const milestone = await ask(ada, 'POST', '/milestones', { title, description: which });
      const label = await ask(ada, 'POST', '/labels', { name: 'bug', color: '#ff0000', description: which });
      await ask(ada, 'POST', '/issues', { title: which, milestone: milestone.id, labels: [label.id] });
    }
    host = await startTarget();
    cas = await signUp(host, 'cas');
  });
  after(async () => {
    await host?.close();
    await source?.host.close();
    await rm(root, { recursive: true, force: true });
  });
  /** Of each issue its number, and which milestone and label it has. */
  const found = async (by: SignedIn, path: string) =>
    ((await send(by, 'GET', `/repos/${path}/issues?state=all`)).json as readonly Issue[])
      .map(({ number, milestone, labels }) => [number, milestone?.description, labels.map((one) => one.description)])
      .sort();
  const apart = [
    [1, 'first', ['first']],
    [2, 'second', ['second']],
  ];

  it('stay apart in an import', async () => {
    const body = { clone_addr: `${source.url}/ada/mill.git`, service: 'gitea', repo_name: 'mill' };
    const made = await send(cas, 'POST', '/repos/migrate', { ...body, ...source.credentials, ...everything });
    expect(made.statusCode, made.payload).to.equal(201);
    expect(await found(cas, 'cas/mill')).to.equal(apart);
    expect((await send(cas, 'GET', '/repos/cas/mill/milestones?state=all')).json).to.have.length(2);
  });

  it('stay apart in a dump that is restored', async () => {
    await source.host.command('dump-repo', { repo_dir: root, owner_name: 'ada', repo_name: 'mill' });
    const folder = join(root, 'ada', 'mill');
    const options = { repo_dir: folder, owner_name: 'ada', repo_name: 'again', validation: true };
    expect(await source.host.command('restore-repo', options)).to.equal(['Repository ada/again was restored.']);
    expect(await found(source.ada, 'ada/again')).to.equal(apart);
    expect((await send(source.ada, 'GET', '/repos/ada/again/labels')).json).to.have.length(2);
    // as compatible services write it
    const issues = await readFile(join(folder, 'issue.yml'), 'utf8');
    await writeFile(join(folder, 'issue.yml'), issues.replaceAll(/^ +(?:milestone_)?number: 2\n(?! +poster)/gm, ''));
    expect(await source.host.command('restore-repo', { ...options, repo_name: 'vague' })).to.equal([
      'Repository ada/vague was restored.',
      'issues: #2: has the first of several that are called bug',
      'issues: #2: has the first of several that are called V1',
    ]);
  });

  it('are named where the source does not say which it means', async () => {
    await send(cas, 'POST', '/user/repos', { name: 'vague' });
    const milestone = (id: string) => ({ id, title: 'V1', description: id, isClosed: false });
    const label = { name: 'bug', color: 'ff0000', description: '' };
    const author = { name: 'eve' };
    const issue = { number: 1, title: 'a', body: '', author, isClosed: false, isLocked: false, milestone: 'V1' };
    const reader = {
      async *labels() {
        yield { items: [label, label] };
      },
      async *milestones() {
        yield { items: [milestone('1'), milestone('2')], next: '2' };
        // it moved meanwhile
        yield { items: [milestone('2'), milestone('3')] };
      },
      async *issues() {
        yield { items: [{ ...issue, labels: ['bug'], assignees: [], reactions: [] }] };
      },
    };
    const steps = await host.services.get(repositoryImporter).run({
      repository: (await host.services.get(repositories).byPath('cas', 'vague'))!,
      reader: reader as unknown as SourceReader,
      kinds: new Set(['labels', 'milestones', 'issues']),
      actor: cas.actor,
      authors: { by: 'none', accounts: {} },
      signal: new AbortController().signal,
    });
    const notes = new Map(steps.map(({ step, done, note }) => [step, [done, note]]));
    expect(notes.get('labels')).to.equal([1, 'Several are called bug: they are one here']);
    expect(notes.get('milestones')).to.equal([3, '']);
    expect(notes.get('issues')).to.equal([1, '#1: has the first of several that are called V1']);
    expect(await found(cas, 'cas/vague')).to.equal([[1, '1', ['']]]);
  });
});
