import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, reply } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount } from '@mortise/accounts/testing';
import { signOutSteps } from '../contract/sessions.js';
import { Browser } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('signing out with steps of other plugins', () => {
  let host: TestHost;
  const asked: string[] = [];
  let goodbye: string | undefined;
  /** Stands for a provider that signed people in. */
  const provider = definePlugin({
    name: 'test-provider',
    version: '1.0.0',
    sdk: '*',
    requires: { sessions: '^1.0.0' },
    register(registering) {
      for (const [key, order] of [
        ['second', 20],
        ['first', 10],
      ] as const)
        registering.contribute(signOutSteps, {
          key,
          order,
          async next({ actor }) {
            asked.push(`${key} ${actor.name}`);
            return goodbye === key ? reply.redirect(`https://id.example.com/${key}`, 303) : undefined;
          },
        });
    },
  });

  before(async () => {
    host = await startHost({ plugins: ['sessions', provider] });
    await createAccount(host, 'ada');
  });
  after(() => host.close());

  for (const [who, where, heard] of [
    [undefined, '/', ['first ada', 'second ada']],
    ['first', 'https://id.example.com/first', ['first ada']],
    ['second', 'https://id.example.com/second', ['first ada', 'second ada']],
  ] as const) {
    it(`the session has ended before they are asked, and ${who ?? 'nobody'} says where to go`, async () => {
      goodbye = who;
      asked.length = 0;
      const browser = await Browser.signedIn(host, 'ada');
      const cookies = [...browser.cookies];
      await browser.go('/');
      const answer = await browser.submit('/user/logout', {});
      expect([answer.statusCode, answer.headers.location, asked]).to.equal([303, where, [...heard]]);
      expect(browser.cookies.has('mortise_session')).to.be.false();
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      expect((await browser.go('/api/v1/user')).statusCode).to.equal(401);
    });
  }
});
