/** Quotas of objects: what clients are answered, and that the same object is counted for each repository once. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { ownerQuota } from '@mortise/accounts/api';
import { contentOf, LfsBench } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issue 30: quotas of LFS', { timeout: 60_000 }, () => {
  let bench: LfsBench;
  before(async () => {
    bench = await LfsBench.start({
      plugins: ['lfs', 'auth-basic', 'git-http', 'forks', 'quota'],
      settings: { quota: { ENABLED: true }, 'quota.default': { TOTAL: '1000000' } },
    });
    await bench.repository('films');
    await bench.repository('books');
  });
  after(() => bench.host.close());

  it('takes objects while there is room, and says in batches and uploads when there is none', async () => {
    const { ada } = bench.users;
    const first = contentOf(Buffer.alloc(600_000, 'a'));
    const second = contentOf(Buffer.alloc(600_000, 'b'));
    expect((await bench.put('films', first, first.bytes, ada)).statusCode).to.equal(200);
    expect((await bench.put('films', first, first.bytes, ada)).statusCode, 'again').to.equal(200);
    const { used } = (await bench.host.as(bench.actor(ada)).inject('/api/v1/user/quota')).json;
    expect(used.size.git.LFS).to.equal(600_000);
    const { json } = await bench.batch(
      'films',
      'upload',
      [first, second].map(({ oid, size }) => ({ oid, size })),
      ada,
    );
    expect(json.objects[0].error).to.be.undefined();
    expect(json.objects[1].error.code).to.equal(413);
    expect((await bench.put('films', second, second.bytes, ada)).statusCode).to.equal(413);
    expect((await bench.put('books', first, first.bytes, ada)).statusCode, 'in another repository').to.equal(413);
  });

  it('counts what the owner stores a few times at most for a batch, however many objects it has', async () => {
    const { ada } = bench.users;
    let asked = 0;
    const limits = bench.host.services.get(ownerQuota);
    const check = limits.check.bind(limits);
    limits.check = (...given) => {
      asked++;
      return check(...given);
    };
    const objects = Array.from({ length: 100 }, (_, at) => {
      const { oid } = contentOf(Buffer.from(`object ${at}`));
      return { oid, size: 350_000 + 1000 * at };
    });
    const { json } = await bench.batch('films', 'upload', objects, ada);
    const first = asked;
    await bench.batch('films', 'upload', objects.slice(0, 20), ada);
    limits.check = check;
    expect(json.objects.filter((one: { error?: object }) => !one.error)).to.have.length(51);
    expect(first).to.be.within(1, 8);
    expect(asked - first, 'all of them fit').to.equal(1);
  });

  it('lets only one of two uploads into the last room', async () => {
    const { ada } = bench.users;
    const objects = ['c', 'd'].map((letter) => contentOf(Buffer.alloc(250_000, letter)));
    const answers = await Promise.all(objects.map((one) => bench.put('films', one, one.bytes, ada)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).to.equal([200, 413]);
  });
});
