// What the test kits of the SDK say to an author whose plugin breaks the promises of its kind.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { authMethods, definePlugin } from '@mortise/plugin-sdk';
import { describeAuthMethod } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it } = lab;

/** Runs the cases of a kit as lab would. Gives title → message of each that fails. */
async function failuresOf(describeKit) {
  const [befores, tests, afters] = [[], [], []];
  describeKit({
    describe: (_title, content) => content(),
    it: (title, test) => tests.push([title, test]),
    before: (work) => befores.push(work),
    after: (work) => afters.push(work),
  });
  const failures = {};
  try {
    for (const work of befores) await work();
    for (const [title, test] of tests)
      await test().catch((error) => {
        failures[title] = error.message;
      });
  } finally {
    for (const work of afters) await work();
  }
  return failures;
}

describe('P7: messages of the test kits', { timeout: 300_000 }, () => {
  it('say to the author of an auth method what was there, and what to do', async () => {
    const plugin = definePlugin({
      name: 'bad-badge',
      version: '1.0.0',
      sdk: '*',
      register(host) {
        host.contribute(authMethods, {
          key: 'bad-badge',
          order: 1,
          // takes every request, for an administrator that it makes up
          authenticate: async () => ({
            actor: { kind: 'user', id: 77, name: 'ghost', isAdmin: true, isRestricted: false, method: 'badge' },
          }),
        });
      },
    });
    const failures = await failuresOf((kit) =>
      describeAuthMethod(kit, {
        plugin,
        key: 'bad-badge',
        valid: ({ name }) => ({ 'x-badge': name }),
        wrong: () => [{ 'x-badge': 'wrong' }],
      }),
    );
    expect(failures['does not mind requests without credentials']).to.equal(
      'a request without credentials is not for this method: `authenticate` must give undefined',
    );
    expect(failures['knows the user']).to.match(
      /^`authenticate` must give the actor kit-user with the id \d+, but gave ghost with 77$/,
    );
    expect(failures['gives no more than it must: a plain user is no administrator']).to.contain(
      'take `isAdmin` of the actor from the account',
    );
    expect(failures['signs requests in over HTTP']).to.match(
      /^GET \/api\/v1\/user with the headers of `valid` must answer 200, but answered 401 .*: give an actor for each request/,
    );
  });
});
