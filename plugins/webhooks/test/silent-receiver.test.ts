import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { halfAnswer, SilentServer, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { createRepository } from '@mortise/repositories/testing';
import { hooksApi } from './delivery-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('O1: a receiver of webhooks that falls silent', { timeout: 120_000 }, () => {
  let receiver: SilentServer;
  let host: TestHost;
  let ada: SignedIn;
  before(async () => {
    receiver = await SilentServer.start();
    host = await startHost({
      plugins: ['webhooks', 'webhook-mortise', 'push'],
      settings: { security: { ALLOWED_HOST_LIST: '*' }, webhook: { DELIVER_TIMEOUT: 1 } },
    });
    ada = await signUp(host, 'ada');
    await createRepository(host, ada.account, { name: 'tool', autoInit: true });
    await host.settle();
  });
  after(async () => {
    await host?.close();
    receiver.close();
  });

  for (const [when, words] of [
    ['at once', ''],
    ['in the middle of its head', 'HTTP/1.1 200 O'],
    ['in the middle of its body', halfAnswer()],
  ] as const)
    it(`${when}: the delivery fails in time and waits to be sent again, and its connection is closed`, async () => {
      receiver.words = words;
      const config = { url: `${receiver.url}/in`, content_type: 'json' };
      const payload = { type: 'gitea', active: true, events: ['push'], config };
      const made = await ada.inject({ method: 'POST', url: hooksApi, payload });
      expect(made.statusCode, made.payload).to.equal(201);
      const { id } = made.json as { id: number };
      expect((await ada.inject({ method: 'POST', url: `${hooksApi}/${id}/tests` })).statusCode).to.equal(204);
      await host.settle();
      const row = (await host.database.knex()('hook_delivery').where('hook_id', id).first()) as Record<string, unknown>;
      expect(row.state, JSON.stringify(row.response)).to.equal('waiting');
      expect(JSON.stringify(row.response)).to.contain('1000 ms');
      await receiver.abandoned();
      await ada.inject({ method: 'DELETE', url: `${hooksApi}/${id}` });
    });
});
