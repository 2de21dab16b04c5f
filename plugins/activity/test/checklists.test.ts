import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin } from '@mortise/plugin-sdk';
import { startHost, submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import { dashboardSteps } from '@mortise/accounts/api';
import { signUp, type SignedIn } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Steps that tests say are done. */
const done = new Set<string>();
const steps = definePlugin({
  name: 'steps',
  version: '1.0.0',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0' },
  register(host) {
    for (const [key, list] of [
      ['mill', 'user'],
      ['gate', 'site'],
    ] as const)
      host.contribute(dashboardSteps, {
        key,
        list,
        order: 900,
        label: `Build a ${key}`,
        path: `/build/${key}`,
        isDone: async () => done.has(key),
      });
  },
});

describe('issue 29: lists of first steps on the dashboard', () => {
  let host: TestHost;
  let ada: SignedIn;
  let root: SignedIn;

  before(async () => {
    host = await startHost({ plugins: ['activity', steps] });
    root = await signUp(host, 'root', { isAdmin: true });
    ada = await signUp(host, 'ada');
  });
  after(() => host.close());

  const pageOf = async (client: Pick<SignedIn, 'inject'>) => (await client.inject('/')).payload;

  it('show what is open and what is done; those of the site to administrators alone', async () => {
    expect(await pageOf(ada))
      .to.contain('Getting started')
      .and.contain('href="/build/mill"')
      .and.contain('Create your first repository')
      .and.not.contain('Set up this site');
    expect(await pageOf(root))
      .to.contain('Set up this site')
      .and.contain('href="/build/gate"');
    done.add('mill');
    expect(await pageOf(ada))
      .to.contain('<s class="color-fg-muted">Build a mill</s>')
      .and.not.contain('href="/build/mill"');
    expect(await pageOf(host)).to.not.contain('Getting started');
  });

  it('are dismissed one by one, for one account', async () => {
    const dismiss = async (client: SignedIn, list: string) =>
      (await submitForm(client, '/user/checklists/dismiss', { list })).statusCode;
    expect(await dismiss(root, 'user')).to.equal(303);
    expect(await dismiss(root, 'user')).to.equal(303);
    expect(await pageOf(root))
      .to.not.contain('Getting started')
      .and.contain('Set up this site');
    expect(await pageOf(ada)).to.contain('Getting started');
    expect(await dismiss(root, 'nothing')).to.equal(422);
    expect(await dismiss(root, 'site')).to.equal(303);
    expect(await pageOf(root)).to.not.contain('Set up this site');
  });
});
