import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { signUp } from '@mortise/accounts/testing';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { api, makeWorld, open, send, type IssueJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after } = lab;

/** Ada's `desk` is public; cas is a stranger there, and owns `shed`. */
describe('both ends of a change', () => {
  let world: World;
  let eve: World['cas'];
  let root: World['cas'];
  before(async () => {
    world = await makeWorld(['issues', 'files', 'organizations', 'time-tracking']);
    eve = await signUp(world.host, 'eve');
    root = await signUp(world.host, 'root', { isAdmin: true });
    const { status } = await send(world.cas, 'POST', '/api/v1/user/repos', { name: 'shed', auto_init: true });
    expect(status).to.equal(201);
  });
  after(() => world.host.close());
  const shed = '/api/v1/repos/cas/shed';
  const status = async (by: World['ada'], method: string, url: string, payload?: object) =>
    (await send(by, method, url, payload)).status;
  const kinds = async (index: number) =>
    (await send<{ type: string }[]>(world.ada, 'GET', `${api}/issues/${index}/timeline`)).body
      .map(({ type }) => type)
      .filter((type) => !['lock', 'unlock'].includes(type));
  it('S9: the branch of an issue is named to those who may read code', async () => {
    const { ada, cas } = world;
    await send(ada, 'POST', '/api/v1/orgs', { username: 'order' });
    await send(ada, 'POST', '/api/v1/orgs/order/repos', { name: 'vault', private: true, auto_init: true });
    const base = '/api/v1/repos/order/vault';
    const fields = { name: 'triage', units_map: { 'repo.issues': 'write' }, includes_all_repositories: true };
    const { body: team } = await send<{ id: number }>(ada, 'POST', '/api/v1/orgs/order/teams', fields);
    await send(ada, 'PUT', `/api/v1/teams/${team.id}/members/cas`);
    const { body: issue } = await send<IssueJson>(ada, 'POST', `${base}/issues`, { title: 'Leak', ref: 'secret-plan' });
    await send(ada, 'PATCH', `${base}/issues/${issue.number}`, { ref: 'second-plan' });
    const shown = async (by: World['ada']) =>
      [
        (await send(by, 'GET', `${base}/issues/${issue.number}`)).body,
        (await send(by, 'GET', `${base}/issues`)).body,
        (await send(by, 'GET', `${base}/issues/${issue.number}/timeline`)).body,
        (await by.inject(`/order/vault/issues/${issue.number}`)).payload,
      ].map((one) => /secret-plan|second-plan/.test(JSON.stringify(one)));
    expect(await shown(ada)).to.equal([true, true, true, true]);
    expect(await shown(cas)).to.equal([false, false, false, false]);
    expect((await cas.inject(`/order/vault/issues/${issue.number}`)).payload).to.include('changed the branch');
  });

  const inShed = async (body = '') =>
    (await send<IssueJson>(world.cas, 'POST', `${shed}/issues`, { title: 'Mine', body })).body.number;
  const named = (owner: string, repo: string, index: number) => ({ owner, repo, index });

  /** What keeps a stranger from writing to an issue, and what takes it away again. */
  const restrictions: readonly {
    readonly name: string;
    readonly refusal: number;
    on(issue: IssueJson): Promise<unknown>;
    off(issue: IssueJson): Promise<unknown>;
  }[] = [
    {
      name: 'locked',
      refusal: 403,
      on: ({ number }) => send(world.ada, 'PUT', `${api}/issues/${number}/lock`),
      off: ({ number }) => send(world.ada, 'DELETE', `${api}/issues/${number}/lock`),
    },
    {
      name: 'archived',
      refusal: 423,
      on: () => send(world.ada, 'PATCH', api, { archived: true }),
      off: () => send(world.ada, 'PATCH', api, { archived: false }),
    },
    {
      name: 'blocking',
      refusal: 403,
      on: () => send(world.ada, 'PUT', '/api/v1/user/blocks/cas'),
      off: () => send(world.ada, 'DELETE', '/api/v1/user/blocks/cas'),
    },
  ];

  for (const { name, refusal, on, off } of restrictions) {
    it(`S4: a dependency writes nothing to what is ${name}, from neither side, by API or page`, async () => {
      const target = await open(world.ada);
      const own = await inShed();
      await on(target);
      try {
        const waits = `${shed}/issues/${own}/dependencies`;
        expect(await status(world.cas, 'POST', waits, named('ada', 'desk', target.number))).to.equal(refusal);
        const blocks = `${api}/issues/${target.number}/blocks`;
        expect(await status(world.cas, 'POST', blocks, named('cas', 'shed', own))).to.equal(refusal);
        const page = `/cas/shed/issues/${own}`;
        for (const which of ['dependencies', 'blocks']) {
          const form = { which, issue: `ada/desk#${target.number}` };
          await submitForm(world.cas, `${page}/dependencies`, form);
        }
        expect(await kinds(target.number)).to.equal([]);
      } finally {
        await off(target);
      }
      expect((await send<unknown[]>(world.cas, 'GET', `${shed}/issues/${own}/dependencies`)).body).to.equal([]);
    });

    it(`S4: a text and a commit that name it write nothing to what is ${name}`, async () => {
      const target = await open(world.ada);
      await on(target);
      try {
        const own = await inShed(`see ada/desk#${target.number}`);
        await send(world.cas, 'POST', `${shed}/issues/${own}/comments`, { body: `ada/desk#${target.number} again` });
        await send(world.cas, 'POST', `${shed}/contents/${name}-${target.number}`, {
          content: 'eA==',
          message: `fixes ada/desk#${target.number}`,
        });
        await world.host.settle();
        expect(await kinds(target.number)).to.equal([]);
      } finally {
        await off(target);
      }
      await inShed(`now see ada/desk#${target.number}`);
      expect(await kinds(target.number)).to.equal(['issue_ref']);
    });

    it(`S4: a dependency on what is ${name} by now can be taken back, and tells nothing there`, async () => {
      const target = await open(world.ada);
      const own = await inShed();
      const waits = `${shed}/issues/${own}/dependencies`;
      expect(await status(world.cas, 'POST', waits, named('ada', 'desk', target.number))).to.equal(201);
      await on(target);
      try {
        expect(await status(world.cas, 'DELETE', waits, named('ada', 'desk', target.number))).to.equal(201);
        expect(await kinds(target.number)).to.equal(['add_dependency']);
      } finally {
        await off(target);
      }
    });
  }

  it('S4: the page makes nothing wait that one may not write', async () => {
    const target = await open(world.ada);
    const own = await inShed();
    const form = { which: 'blocks', issue: `ada/desk#${target.number}` };
    await submitForm(world.cas, `/cas/shed/issues/${own}/dependencies`, form);
    expect((await send<unknown[]>(world.ada, 'GET', `${api}/issues/${target.number}/dependencies`)).body).to.equal([]);
  });

  describe('a blocked account', () => {
    it('C8: closes an issue of its own without a word, and does nothing else there', async () => {
      const { number } = await open(world.cas);
      const later = await open(world.cas);
      const at = `${api}/issues/${number}`;
      expect(await status(world.ada, 'PUT', '/api/v1/user/blocks/cas')).to.equal(204);
      try {
        const edit = (payload: object) => status(world.cas, 'PATCH', at, payload);
        expect(await edit({ state: 'closed', title: 'Other' })).to.equal(403);
        expect(await edit({ state: 'closed', body: '' })).to.equal(403);
        expect(await edit({ state: 'closed', title: '', body: null })).to.equal(201);
        expect(await edit({ state: 'open' })).to.equal(403);
        const page = `/ada/desk/issues/${later.number}/comments`;
        await submitForm(world.cas, page, { action: 'close', body: 'last words' });
        const state = async () => (await send<IssueJson>(world.ada, 'GET', `${api}/issues/${later.number}`)).body.state;
        expect(await state()).to.equal('open');
        await submitForm(world.cas, page, { action: 'close', body: ' ' });
        expect([await state(), await kinds(later.number)]).to.equal(['closed', ['close']]);
      } finally {
        expect(await status(world.ada, 'DELETE', '/api/v1/user/blocks/cas')).to.equal(204);
      }
    });

    it('C8: is not said to block whom it is brought together with', async () => {
      expect(await status(world.cas, 'PUT', '/api/v1/user/blocks/eve')).to.equal(204);
      try {
        const url = '/api/v1/repos/cas/shed/collaborators/eve';
        const { body } = await send<{ message: string }>(world.cas, 'PUT', url, { permission: 'read' });
        expect(body.message).to.equal('One of the two accounts has blocked the other.');
      } finally {
        expect(await status(world.cas, 'DELETE', '/api/v1/user/blocks/eve')).to.equal(204);
      }
    });

    /** Who blocks whom, while cas asks for eve; and in ada's repository. */
    const blocks = [
      ['eve', 'cas'],
      ['cas', 'eve'],
    ] as const;
    let organizations = 0;
    let guild = '';
    const people = () => ({ ada: world.ada, cas: world.cas, eve });
    beforeEach(async () => {
      guild = `guild-${++organizations}`;
      expect(await status(world.cas, 'POST', '/api/v1/orgs', { username: guild })).to.equal(201);
      expect(await status(world.cas, 'POST', `/api/v1/orgs/${guild}/repos`, { name: 'hall' })).to.equal(201);
    });

    for (const [blocker, blocked] of blocks)
      it(`S4: comes into no team and no repository of an organization where ${blocker} blocks ${blocked}`, async () => {
        const fields = { name: 'crew', units_map: { 'repo.issues': 'read' } };
        const team = await send<{ id: number }>(world.cas, 'POST', `/api/v1/orgs/${guild}/teams`, fields);
        expect(team.status).to.equal(201);
        const member = `/api/v1/teams/${team.body.id}/members/eve`;
        const collaborator = `/api/v1/repos/${guild}/hall/collaborators/eve`;
        const block = `/api/v1/user/blocks/${blocked}`;
        expect(await status(people()[blocker], 'PUT', block)).to.equal(204);
        try {
          expect(await status(world.cas, 'PUT', member)).to.equal(403);
          expect(await status(world.cas, 'PUT', collaborator, { permission: 'read' })).to.equal(403);
          await submitForm(world.cas, `/org/${guild}/teams/crew/action/add`, { uname: 'eve' });
          await submitForm(world.cas, `/${guild}/hall/settings/collaboration`, { collaborator: 'eve' });
          expect(await status(world.cas, 'GET', member)).to.equal(404);
          expect(await status(world.cas, 'GET', collaborator)).to.equal(404);
        } finally {
          expect(await status(people()[blocker], 'DELETE', block)).to.equal(204);
        }
        expect(await status(world.cas, 'PUT', member)).to.equal(204);
        expect(await status(world.cas, 'PUT', collaborator, { permission: 'read' })).to.equal(204);
      });

    for (const [blocker, blocked] of [
      ['ada', 'eve'],
      ['eve', 'ada'],
    ] as const)
      it(`S4: is subscribed, assigned, mentioned and given time nowhere where ${blocker} blocks ${blocked}`, async () => {
        const { number } = await open(world.ada);
        const at = `${api}/issues/${number}`;
        const block = `/api/v1/user/blocks/${blocked}`;
        expect(await status(people()[blocker], 'PUT', block)).to.equal(204);
        try {
          expect(await status(eve, 'PUT', `${at}/subscriptions/eve`)).to.equal(403);
          expect(await status(root, 'PUT', `${at}/subscriptions/eve`)).to.equal(403);
          expect(await status(world.ada, 'POST', `${at}/assignees`, { assignees: ['eve'] })).to.equal(403);
          expect(await status(world.ada, 'PATCH', at, { assignees: ['eve'] })).to.equal(403);
          expect(await status(world.ada, 'POST', `${api}/issues`, { title: 'x', assignees: ['eve'] })).to.equal(403);
          expect(await status(world.ada, 'POST', `${at}/times`, { time: 60, user_name: 'eve' })).to.equal(403);
          await send(world.ben, 'POST', `${at}/comments`, { body: 'what does @eve say?' });
          const mentioned = `${api}/issues?mentioned_by=eve&state=all`;
          expect((await send<IssueJson[]>(world.ada, 'GET', mentioned)).body).to.equal([]);
        } finally {
          expect(await status(people()[blocker], 'DELETE', block)).to.equal(204);
        }
      });
  });

  it('S4: nobody is subscribed, by an administrator either, to what they cannot read', async () => {
    const { number } = await open(world.ada);
    await send(world.ada, 'PATCH', api, { private: true });
    try {
      expect(await status(root, 'PUT', `${api}/issues/${number}/subscriptions/eve`)).to.equal(404);
    } finally {
      await send(world.ada, 'PATCH', api, { private: false });
    }
  });

  it('C2: on an issue of a public repository whoever may read it may be assigned, also at its creation', async () => {
    const logins = ({ body }: { body: IssueJson }) => (body.assignees ?? []).map(({ login }) => login);
    const made = await send<IssueJson>(world.ada, 'POST', `${api}/issues`, { title: 'x', assignees: ['eve'] });
    expect([made.status, logins(made)]).to.equal([201, ['eve']]);
    const at = `${api}/issues/${made.body.number}`;
    expect(await status(world.ada, 'GET', `${at}/assignees/cas`)).to.equal(204);
    expect(logins(await send<IssueJson>(world.ada, 'POST', `${at}/assignees`, { assignees: ['cas'] }))).to.equal([
      'eve',
      'cas',
    ]);
    // without the right to assign the wish is passed over
    const theirs = await send<IssueJson>(world.cas, 'POST', `${api}/issues`, { title: 'y', assignees: ['cas'] });
    expect([theirs.status, logins(theirs)]).to.equal([201, []]);
    const edited = await send<IssueJson>(world.cas, 'PATCH', `${api}/issues/${theirs.body.number}`, {
      assignees: ['cas'],
    });
    expect([edited.status, logins(edited)]).to.equal([201, []]);
    await send(world.ada, 'PATCH', api, { private: true });
    try {
      expect(await status(world.ada, 'POST', `${api}/issues`, { title: 'z', assignees: ['cas'] })).to.equal(422);
      expect(await status(world.ada, 'GET', `${at}/assignees/cas`)).to.equal(404);
    } finally {
      await send(world.ada, 'PATCH', api, { private: false });
    }
  });
});
