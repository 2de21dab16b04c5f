import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, submitForm, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { publicKeys } from '@mortise/accounts/api';
import { gpgKeys } from '../contract/signatures.js';
import { trustOf } from '../services/trust.js';
import { SigningTools } from './tools.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('trust in signatures', { timeout: 300_000 }, () => {
  let tools: SigningTools;
  let host: TestHost;
  const users: Record<string, KitUser> = {};
  /** Commits by the subject of their message. */
  const oids: Record<string, string> = {};

  const send = (method: string, url: string, payload?: object) =>
    host.as(users.ada!).inject({ method, url: `/api/v1${url}`, payload });
  const badgeOf = (text: string) =>
    /<span class="Label Label--\w+ no-wrap" title="[^"]*"><svg.*?<\/svg> (\w[\w ]*)<\/span>/s.exec(text)?.[1];
  /** The badge of each commit, as the list of commits shows it. */
  const badges = async (name: string) => {
    const page = await host.inject(`/ada/${name}/commits/branch/main`);
    expect(page.statusCode).to.equal(200);
    const rows = page.payload.split('<li class="Box-row').slice(1);
    return Object.fromEntries(
      Object.keys(oids).map((resource) => [resource, badgeOf(rows.find((row) => row.includes(oids[resource]!))!)]),
    );
  };

  before(async () => {
    tools = new SigningTools();
    const site = tools.sshKey('site');
    const named = tools.sshKey('named');
    host = await startHost({
      plugins: ['signatures', 'refs', 'files', 'forks', 'git-http', 'auth-basic'],
      settings: {
        'repository.signing': {
          SIGNING_KEY: site.file,
          SIGNING_FORMAT: 'ssh',
          SIGNING_EMAIL: 'site@example.com',
          CRUD_ACTIONS: 'always',
          TRUSTED_SSH_KEYS: named.line,
        },
      },
    });
    for (const name of ['ada', 'ben', 'cat']) users[name] = await makeUser(host, name);
    const folder = tools.repository('wheel');
    const commit = (resource: string, by: Parameters<SigningTools['signed']>[1]) => {
      oids[resource] = tools.signed(folder, { ...by, message: resource });
    };
    const keys: Record<string, string> = {};
    for (const name of ['ada', 'ben', 'cat']) {
      keys[name] = tools.gpgKey(`${name} <${name}@example.com>`);
      await host.services.get(gpgKeys).add(users[name]!.id, tools.armored(keys[name]!));
    }
    const ssh = tools.sshKey('cats');
    await host.services.get(publicKeys).add(users.cat!.id, { title: 'cat', key: ssh.line });
    commit('owner', { email: 'ada@example.com', gpg: keys.ada });
    commit('collaborator', { email: 'ben@example.com', gpg: keys.ben });
    commit('stranger', { email: 'cat@example.com', gpg: keys.cat });
    commit('stranger by SSH', { email: 'cat@example.com', ssh: ssh.file });
    commit('owner for another', { email: 'ben@example.com', gpg: keys.ada });
    commit('stranger for another', { email: 'ada@example.com', gpg: keys.cat });
    commit('stranger by SSH for nobody', { email: 'nobody@example.net', ssh: ssh.file });
    commit('named by the operator', { email: 'nobody@example.net', ssh: named.file });
    commit('the site for another', { email: 'ada@example.com', ssh: site.file });
    commit('the site', { email: 'site@example.com', ssh: site.file });
    commit('of nobody', { email: 'ada@example.com', gpg: tools.gpgKey('No One <none@example.net>') });
    commit('not signed', { email: 'ada@example.com' });
    const url = new URL(await host.url());
    for (const model of ['default', 'collaborator', 'committer', 'collaboratorcommitter']) {
      const made = await send('POST', '/user/repos', { name: model, trust_model: model });
      expect(made.statusCode).to.equal(201);
      expect((await send('PUT', `/repos/ada/${model}/collaborators/ben`, { permission: 'read' })).statusCode).to.equal(
        204,
      );
      const to = `http://ada:${encodeURIComponent(users.ada!.password)}@${url.host}/ada/${model}`;
      await tools.talk('git', ['push', '-q', to, 'main'], folder);
    }
  });
  after(async () => {
    await host.close();
    tools.close();
  });

  const collaborator = {
    owner: 'Verified',
    collaborator: 'Verified',
    stranger: 'Untrusted',
    'stranger by SSH': 'Untrusted',
    'owner for another': 'Verified',
    'stranger for another': 'Unmatched',
    'stranger by SSH for nobody': 'Unmatched',
    'named by the operator': 'Verified',
    'the site for another': 'Verified',
    'the site': 'Verified',
    'of nobody': undefined,
    'not signed': undefined,
  };
  const committer = {
    ...collaborator,
    stranger: 'Verified',
    'stranger by SSH': 'Verified',
    'owner for another': 'Unmatched',
    'the site for another': 'Unmatched',
  };

  it('collaborator: of the owner and collaborators, and the default of the site', async () => {
    expect(await badges('collaborator')).to.equal(collaborator);
    expect(await badges('default')).to.equal(collaborator);
  });

  it('committer: of whoever committed', async () => {
    expect(await badges('committer')).to.equal(committer);
  });

  it('collaboratorcommitter: of a committer who is one of them', async () => {
    expect(await badges('collaboratorcommitter')).to.equal({
      ...committer,
      stranger: 'Untrusted',
      'stranger by SSH': 'Untrusted',
    });
  });

  it('every other page with a badge shows the same', async () => {
    const one = await host.inject(`/ada/collaborator/commit/${oids.stranger!}`);
    expect(badgeOf(one.payload)).to.equal('Untrusted');
    expect(one.payload).to.include('This commit was signed by its committer, whom this repository does not trust.');
    const folder = `/src/commit/${oids['stranger for another']!}`;
    expect(badgeOf((await host.inject(`/ada/collaborator${folder}`)).payload)).to.equal('Unmatched');
    expect(badgeOf((await host.inject(`/ada/committer${folder}`)).payload)).to.equal('Unmatched');
  });

  it('the API tells of the committer only, whatever the model', async () => {
    const verified = async (name: string, resource: string) =>
      (await send('GET', `/repos/ada/${name}/git/commits/${oids[resource]!}`)).json.commit.verification;
    for (const name of ['collaborator', 'committer', 'collaboratorcommitter']) {
      expect(await verified(name, 'stranger')).to.include({ verified: true });
      expect(await verified(name, 'stranger')).to.not.include('trust');
      expect(await verified(name, 'owner for another')).to.include({
        verified: false,
        reason: 'gpg.error.no_gpg_keys_found',
        signer: null,
      });
    }
  });

  it('follows the collaborators and the settings page, with one look-up of people for a page', async () => {
    await send('PUT', '/repos/ada/default/collaborators/cat', { permission: 'read' });
    expect((await badges('default')).stranger).to.equal('Verified');
    await send('DELETE', '/repos/ada/default/collaborators/cat');
    expect((await badges('default')).stranger).to.equal('Untrusted');
    const ada = host.as(users.ada!);
    const choose = (trust_model: string) => submitForm(ada, '/ada/default/settings', { action: 'trust', trust_model });
    expect((await choose('committer')).statusCode).to.equal(303);
    expect(await badges('default')).to.equal(committer);
    expect((await choose('nobody')).statusCode).to.equal(422);
    const page = await ada.inject('/ada/default/settings');
    expect(page.payload).to.match(/value="committer" selected/);
  });

  it('a template hands on its model, and the API refuses others', async () => {
    expect((await send('POST', '/user/repos', { name: 'odd', trust_model: 'everybody' })).statusCode).to.equal(422);
    await send('PATCH', '/repos/ada/committer', { template: true });
    const made = await send('POST', '/repos/ada/committer/generate', { owner: 'ada', name: 'next', git_content: true });
    expect(made.statusCode).to.equal(201);
    const page = await host.as(users.ada!).inject('/ada/next/settings');
    expect(page.payload).to.match(/value="committer" selected/);
  });

  it('each trust model has one answer for every signer and committer', () => {
    const all = (['collaborator', 'committer', 'collaboratorcommitter'] as const).map((model) =>
      [true, false].flatMap((isMember) =>
        [true, false].map((isCommitter) => trustOf(model, { isMember, isCommitter })),
      ),
    );
    expect(all).to.equal([
      ['trusted', 'trusted', 'untrusted', 'unmatched'],
      ['trusted', 'unmatched', 'trusted', 'unmatched'],
      ['trusted', 'unmatched', 'untrusted', 'unmatched'],
    ]);
  });
});
