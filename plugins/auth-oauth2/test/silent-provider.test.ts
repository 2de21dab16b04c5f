// Database: SQLite alone (nothing reaches it)
// Load: sleeps
// Time: about 40 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { halfAnswer, SilentServer, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { loginSources } from '@mortise/accounts/api';
import { Browser } from '@mortise/sessions/testing';
import { clientId, clientSecret } from './provider.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('O1: an OAuth2 provider that falls silent', { timeout: 180_000 }, () => {
  let provider: SilentServer;
  let host: TestHost;
  before(async () => {
    provider = await SilentServer.start();
    host = await startHost({ plugins: ['auth-oauth2'] });
    await host.services.get(loginSources).create({
      kind: 'oauth2',
      name: 'Corp',
      settings: { provider: 'openidConnect', clientId, clientSecret, discoveryUrl: provider.url },
    });
  });
  after(async () => {
    await host?.close();
    provider.close();
  });

  for (const [when, words] of [
    ['at once', ''],
    ['in the middle of its answer', halfAnswer()],
  ])
    it(`${when}: signing in is 503 with words, and the connection is closed`, async () => {
      provider.words = words!;
      provider.accepted = 0;
      const answer = await new Browser(host).go('/user/oauth2/Corp');
      expect([answer.statusCode, answer.payload.includes('could not be reached')]).to.equal([503, true]);
      expect(provider.accepted).to.be.at.least(1);
      await provider.abandoned();
    });
});
