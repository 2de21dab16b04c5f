// One of two servers on one database and one work folder is killed under load: the other has what was acknowledged, and goes on.
// Time: about 30 s
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Changes of each writer before the kill. */
const enough = 5;
/** How long the other may take for its first change afterwards; see docs/many-nodes.md. */
const patienceMs = 35_000;

describe('O7: one of two servers is killed under load', { timeout: 600_000 }, () => {
  let first;
  let second;
  before(async () => {
    first = await startServer();
    const shared = Object.entries(first.env).filter(([name]) => /^MORTISE__database__|^MORTISE_WORK_DIR$/.test(name));
    second = await startServer({ admin: false, settings: Object.fromEntries(shared) });
  });
  after(async () => {
    await second?.close();
    await first?.close();
  });

  it('the other has all that was acknowledged, and takes changes of the same repository', async () => {
    expect((await first.api('POST', '/user/repos', { body: { name: 'shared', auto_init: true } })).status).to.equal(
      201,
    );
    const acknowledged = [];
    let isDone = false;
    const content = Buffer.from('kept').toString('base64');
    const write = async (node, name) => {
      const path = `/repos/root/shared/contents/${name}`;
      const { status } = await node.api('POST', path, { body: { content, message: name } });
      // both write to one branch: one of two at once may be told to try again
      if (status === 201) acknowledged.push(name);
      else expect(status).to.be.oneOf([409, 422, 503]);
    };
    const writers = [first, second].map(async (node, at) => {
      for (let n = 0; !isDone; n++)
        try {
          await write(node, `${at}-${n}.txt`);
        } catch (error) {
          if (node === second) throw error;
          return; // its connection went with it
        }
    });
    const counts = (at) => acknowledged.filter((name) => name.startsWith(`${at}-`)).length;
    while (counts(0) < enough || counts(1) < enough) await new Promise((resolve) => setTimeout(resolve, 50));
    await first.kill();
    const killedAt = Date.now();
    const before = counts(1);
    while (counts(1) < before + enough && Date.now() - killedAt < patienceMs)
      await new Promise((resolve) => setTimeout(resolve, 50));
    isDone = true;
    await Promise.all(writers);
    expect(counts(1)).to.be.at.least(before + enough);
    for (const name of acknowledged)
      expect([name, (await second.api('GET', `/repos/root/shared/contents/${name}`)).status]).to.equal([name, 200]);
    const clone = await second.git(['clone', '-q', `${second.base}/root/shared.git`, 'after']);
    expect([clone.code, clone.err]).to.equal([0, '']);
    const stored = join(first.env.MORTISE_WORK_DIR, 'repositories', '001', '1.git');
    const checked = await second.git(['fsck', '--full', '--strict'], { cwd: stored });
    expect([checked.code, checked.err], checked.out).to.equal([0, '']);
  });
});
