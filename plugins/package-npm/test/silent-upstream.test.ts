// Database: SQLite alone (nothing reaches it)
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import {
  halfAnswer,
  makeUser,
  SilentServer,
  startHost,
  type KitUser,
  type TestHost,
} from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('O1: an upstream registry that falls silent', { timeout: 120_000 }, () => {
  let upstream: SilentServer;
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    upstream = await SilentServer.start();
    const settings = { packages: { UPSTREAM_TIMEOUT_SECONDS: 1 }, 'package-npm': { UPSTREAM: `${upstream.url}/` } };
    host = await startHost({ plugins: ['package-npm', 'auth-basic'], settings });
    ada = await makeUser(host, 'ada');
  });
  after(async () => {
    await host?.close();
    upstream.close();
  });
  const read = (path: string) =>
    host.inject({ url: `/api/packages/ada/npm${path}`, headers: { authorization: ada.authorization } });

  for (const [when, words] of [
    ['at once', ''],
    ['in the middle of its answer', halfAnswer()],
  ] as const)
    it(`${when}: documents and files are 504, and the connections are closed`, async () => {
      upstream.words = words;
      upstream.accepted = 0;
      const name = words === '' ? 'far' : 'further';
      // more than may be on their way at once: each gives its place back
      const all = await Promise.all([
        ...Array.from({ length: 20 }, (_, n) => read(`/${name}-${n}`)),
        read(`/${name}/-/${name}-1.0.0.tgz`),
      ]);
      expect(new Set(all.map(({ statusCode }) => statusCode)), all[0]!.payload).to.equal(new Set([504]));
      expect(upstream.accepted).to.be.at.least(20);
      await upstream.abandoned();
    });
});
