// Two servers on one database and one work folder: what one acknowledged, the other shows.
// Time: about 20 s
//
//   MORTISE_TEST_FULL=1   200 rounds instead of 12
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const rounds = process.env.MORTISE_TEST_FULL ? 200 : 12;
const plugins = ['refs', 'files', 'git-http'];

describe('A11: two servers on one database', { timeout: 600_000 }, () => {
  let first;
  let second;
  before(async () => {
    first = await startServer({ plugins });
    const shared = Object.entries(first.env).filter(([name]) => /^MORTISE__database__|^MORTISE_WORK_DIR$/.test(name));
    second = await startServer({ admin: false, plugins, settings: Object.fromEntries(shared) });
  });
  after(async () => {
    await second?.close();
    await first?.close();
  });

  it('none shows what is older than an acknowledged change, while the same is asked for all the time', async () => {
    const nodes = [first, second];
    expect((await first.api('POST', '/user/repos', { body: { name: 'shared', auto_init: true } })).status).to.equal(
      201,
    );
    let isDone = false;
    let reads = 0;
    // Keeps the caches of both full, and has something loaded at any moment: four at a time, each at another place.
    const paths = ['/repos/root/shared', '/repos/search?q=shared', '/users/root', '/repos/root/shared/branches'];
    const crowd = nodes.flatMap((node) =>
      paths.map(async (_path, at) => {
        for (; !isDone; at++) {
          expect((await node.api('GET', paths[at % paths.length])).status).to.equal(200);
          reads++;
        }
      }),
    );
    const stale = [];
    const see = (what, seen, wanted) => {
      if (JSON.stringify(seen) !== JSON.stringify(wanted)) stale.push(`${what}: ${JSON.stringify(seen)}`);
    };
    try {
      for (let round = 0; round < rounds; round++) {
        const [writer, reader] = round % 2 ? [first, second] : [second, first];
        const description = `round ${round}`;
        const patched = await writer.api('PATCH', '/repos/root/shared', { body: { description } });
        expect(patched.status).to.equal(200);
        // some at once: each looks at a slightly later moment
        const records = await Promise.all([1, 2, 3, 4].map(() => reader.api('GET', '/repos/root/shared')));
        for (const { json } of records) see(`${round} record`, json.description, description);
        see(
          `${round} search`,
          (await reader.api('GET', '/repos/search?q=shared')).json.data[0].description,
          description,
        );
        const token = (await writer.api('POST', '/users/root/tokens', { body: { name: `t${round}`, scopes: ['all'] } }))
          .json;
        see(`${round} token`, (await reader.api('GET', '/user', { as: token.sha1 })).status, 200);
        expect((await writer.api('DELETE', `/users/root/tokens/${token.id}`)).status).to.equal(204);
        see(`${round} revoked`, (await reader.api('GET', '/user', { as: token.sha1 })).status, 401);
        const branch = `b${round}`;
        const made = await writer.api('POST', '/repos/root/shared/branches', { body: { new_branch_name: branch } });
        expect(made.status).to.equal(201);
        see(`${round} branch`, (await reader.api('GET', `/repos/root/shared/branches/${branch}`)).status, 200);
      }
    } finally {
      isDone = true;
      await Promise.all(crowd);
    }
    expect(stale).to.equal([]);
    expect(reads).to.be.above(0);
  });
});
