// Database: SQLite alone (nothing reaches it)
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { SilentServer, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { mailer } from '../contract/mail.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('O1: a mail server that falls silent', { timeout: 60_000 }, () => {
  let server: SilentServer;
  let host: TestHost;
  before(async () => {
    server = await SilentServer.start();
    const { port } = server;
    host = await startHost({
      plugins: ['mail'],
      settings: {
        mailer: { ENABLED: true, PROTOCOL: 'smtp', SMTP_ADDR: '127.0.0.1', SMTP_PORT: port, SMTP_TIMEOUT: '500ms' },
      },
    });
  });
  after(async () => {
    await host?.close();
    server.close();
  });

  for (const [when, words] of [
    ['at once', ''],
    ['after its greeting', '220 mail.example ESMTP\r\n'],
    ['in the middle of a line', '220 mail.exam'],
  ])
    it(`${when} is given up in time, and its connection is closed`, async () => {
      server.words = words!;
      const began = performance.now();
      await expect(host.services.get(mailer).test({ address: 'ada@example.com', name: 'Ada' })).to.reject();
      expect(performance.now() - began).to.be.below(20_000);
      await server.abandoned();
    });
});
