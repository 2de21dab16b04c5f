// The server is killed (SIGKILL to its whole group) while keys are added. After each restart the audit log has an entry of
// each key that is there, and of none that is not.
// Time: about 15 s
//
//   MORTISE_TEST_FULL=1   8 kills instead of 3
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const kills = process.env.MORTISE_TEST_FULL ? 8 : 3;

/** An SSH key that nobody holds the other half of. */
function sshKey(number) {
  const fill = Buffer.alloc(32);
  fill.writeUInt32BE(number);
  const head = Buffer.concat([
    Buffer.from([0, 0, 0, 11]),
    Buffer.from('ssh-ed25519'),
    Buffer.from([0, 0, 0, 32]),
    fill,
  ]);
  return `ssh-ed25519 ${head.toString('base64')}`;
}

describe('the audit log of a killed server', { timeout: 600_000 }, () => {
  let server;
  before(async () => {
    server = await startServer({ plugins: ['audit'] });
  });
  after(() => server?.close());

  const all = async (path, next) => {
    const rows = [];
    for (;;) {
      const { json } = await server.api('GET', `${path}${next(rows)}`);
      rows.push(...json);
      if (json.length < 50) return rows;
    }
  };

  it(`has acts and entries together over ${kills} kills`, async () => {
    let number = 0;
    for (let round = 0; round < kills; round++) {
      let isDead = false;
      let made = 0;
      const add = async () => {
        while (!isDead) {
          const title = `key ${++number}`;
          const answer = await server
            .api('POST', '/user/keys', { body: { title, key: sshKey(number) } })
            .catch(() => undefined);
          if (answer?.status === 201) made++;
        }
      };
      const adding = Array.from({ length: 4 }, add);
      while (made < 10 + round) await new Promise((resolve) => setTimeout(resolve, 5));
      await server.kill();
      isDead = true;
      await Promise.all(adding);
      await server.start();
      const keys = await all('/user/keys?limit=50', (rows) => `&page=${rows.length / 50 + 1}`);
      const entries = await all('/user/security-log?action=public_key.create&limit=50', (rows) =>
        rows.length ? `&before=${rows.at(-1).id}` : '',
      );
      const sorted = (names) => [...names].sort();
      expect(sorted(entries.map(({ target }) => target.name))).to.equal(sorted(keys.map(({ title }) => title)));
      expect(keys.length).to.be.at.least(made);
    }
  });
});
