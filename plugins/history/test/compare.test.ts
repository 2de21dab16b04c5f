/** Comparing with forks: related ones only, however far, and without copying anything. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, type Account } from '@mortise/accounts/api';
import { gitReader, gitStore } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('comparing across forks', () => {
  let host: TestHost;
  const authors = new Map<string, Account>();
  before(async () => {
    host = await startHost({ plugins: ['history', 'files', 'refs', 'forks', 'pulls'] });
    for (const name of ['ada', 'ben', 'cleo', 'dan', 'eli'])
      authors.set(name, await host.services.get(accounts).create({ name, email: `${name}@example.com` }));
    const actor = host.services.get(accounts).actorOf(authors.get('ada')!, 'test');
    await host.services.get(repositories).create(authors.get('ada')!, { name: 'r', autoInit: true }, actor);
  });
  after(() => host.close());

  const as = (name: string) => host.as(asActor({ id: authors.get(name)!.id, name }));
  const call = async (name: string, method: string, path: string, payload?: object) => {
    const answer = await as(name).inject({ method, url: `/api/v1/repos/${path}`, payload });
    return { status: answer.statusCode, json: answer.json, text: answer.payload };
  };
  const fork = async (name: string, from: string) => {
    const made = await call(name, 'POST', `${from}/forks`, {});
    expect(made.status, made.text).to.equal(202);
  };
  const write = async (name: string, path: string) => {
    const content = Buffer.from(`only ${name}'s`).toString('base64');
    const made = await call(name, 'POST', `${name}/r/contents/${path}`, { content, message: `${name} writes` });
    expect(made.status, made.text).to.equal(201);
    return made.json.commit.sha as string;
  };

  it('what is compared with nothing, as webhooks say of tags, leads to the commit', async () => {
    const oid = 'a'.repeat(40);
    const page = await as('ada').inject(`/ada/r/compare/${'0'.repeat(40)}...${oid}`);
    expect([page.statusCode, page.headers.location]).to.equal([303, `/ada/r/commit/${oid}`]);
  });

  it('S4: what only a private fork has does not come into what it is compared with', async () => {
    await fork('ben', 'ada/r');
    // as a fork stays when what it came from is opened
    const { id: forkId } = (await host.services.get(repositories).byPath('ben', 'r'))!;
    await host.database.write(async () => {
      await host.database.knex()('repository').where({ id: forkId }).update({ is_private: true });
    });
    const own = await write('ben', 'own.txt');
    const { id } = (await host.services.get(repositories).byPath('ada', 'r'))!;
    const size = await host.services.get(gitStore).size(id);
    const compared = await call('ben', 'GET', 'ada/r/compare/main...ben:main');
    expect(compared.status, compared.text).to.equal(200);
    expect(compared.json.commits.map((one: { sha: string }) => one.sha)).to.equal([own]);
    expect(compared.json.commits[0].files.map((one: { filename: string }) => one.filename)).to.equal(['own.txt']);
    const page = await as('ben').inject('/ada/r/compare/main...ben:main');
    expect(page.statusCode).to.equal(200);
    expect(page.payload).to.contain(`/ben/r/commit/${own}`);
    expect((await as('ben').inject('/ada/r/compare/main...ben:main.diff')).payload).to.contain("+only ben's");
    expect(await host.services.get(gitStore).size(id)).to.equal(size);
    expect(await host.services.get(gitReader).open(id).info(own)).to.be.undefined();
    for (const sha of [own, own.slice(0, 10)])
      expect((await call('ada', 'GET', `ada/r/git/commits/${sha}`)).status).to.equal(404);
    const hidden = await call('ada', 'GET', 'ada/r/compare/main...ben:main');
    expect(hidden.status).to.not.equal(200);
  });

  it('menus name no branches of forks whose code is switched off', async () => {
    await fork('eli', 'ada/r');
    const menu = async () => (await host.inject('/ada/r/refs?to=head&piece=1')).payload;
    expect(await menu()).to.contain('eli/r:main');
    await call('eli', 'PATCH', 'eli/r', { has_code: false });
    expect(await menu()).to.not.contain('eli/r:main');
  });

  it('CNT-09: the fork of a fork is compared with the root, and with its siblings', async () => {
    await fork('cleo', 'ada/r');
    await fork('dan', 'cleo/r');
    const own = await write('dan', 'far.txt');
    for (const base of ['ada/r', 'cleo/r']) {
      const compared = await call('dan', 'GET', `${base}/compare/main...dan:main`);
      expect(compared.status, compared.text).to.equal(200);
      expect(compared.json.commits.map((one: { sha: string }) => one.sha)).to.equal([own]);
    }
    expect((await call('dan', 'GET', 'dan/r/compare/main...ada:main')).json.total_commits).to.equal(0);
  });
});
