/** What visitors search for is bounded in memory, time and number, and nobody else waits for it. */
// Database: SQLite alone; what is searched lies in git.
import { writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { compileExpression, compileGlob, expressionSize, Problem } from '@mortise/plugin-sdk';
import { gitEnvironment, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitReader, gitStore, type GitRepository } from '../api.js';
import { Limiter } from '../services/limits.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('searches', { timeout: 300_000 }, () => {
  let host: TestHost;
  let repository: GitRepository;
  let commit: string;
  before(async () => {
    host = await startHost({ plugins: ['git'] });
    const store = host.services.get(gitStore);
    await store.create(1);
    const work = join(host.workDir, 'work');
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: host.workDir, env: gitEnvironment(host.workDir, 'A. (B)', 'a+b@example.com') });
    git('init', '-q', '-b', 'main', work);
    let line = '';
    for (let at = 0, state = 7; at < 1_000_000; at++)
      line += (state = (state * 1103515245 + 12345) % 2 ** 31) & 64 ? 'a' : 'b';
    writeFileSync(join(work, 'long.txt'), `${line}\n`);
    writeFileSync(join(work, 'small.txt'), 'a needle\n');
    git('-C', work, 'add', '.');
    git('-C', work, 'commit', '-q', '-m', 'first');
    git('-C', work, 'push', '-q', store.path(1), 'main');
    repository = host.services.get(gitReader).open(1);
    commit = (await repository.branch('main'))!.oid;
  });
  after(() => host.close());

  const search = (pattern: string) => repository.grep(commit, pattern, { fixed: false });
  const problem = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => (Problem.is(error) ? error : undefined),
    );

  it('S2: an expression that unfolds without end is refused before git sees it', async () => {
    for (const bad of [
      '((a{1,200}){1,200}){1,200}',
      '((a{,200}){,200}){,200}',
      '(x{99}){99}',
      'a'.repeat(5000),
      '(a)\\1',
    ]) {
      const refused = await problem(search(bad));
      expect(refused?.code, bad.slice(0, 40)).to.equal('invalid');
    }
    for (const fine of ['needle', '^a (n|m)e{2}d[[:alpha:]]+$', '[]x{9}]|needle', 'n.{1,10}e'])
      expect(
        (await search(fine)).map(({ path }) => path),
        fine,
      ).to.include('small.txt');
  });

  it('S2: an author is a text and no expression', async () => {
    const by = async (author: string) => (await repository.log({ from: [commit], author })).total;
    expect(await by('a. (b)')).to.equal(1);
    expect(await by('A+B@EXAMPLE')).to.equal(1);
    expect(await by('.*')).to.equal(0);
    expect(await by('(((x{1,200}){1,200}){1,200}')).to.equal(0);
  });

  it('S2: while the worst expressions run, others read as before', async () => {
    const read = async () => {
      const began = performance.now();
      await host.inject('/api/v1/version');
      await repository.blob((await repository.entry(commit, 'small.txt'))!.oid);
      return performance.now() - began;
    };
    const median = async (count: number) => {
      const times: number[] = [];
      for (let at = 0; at < count; at++) {
        times.push(await read());
        await new Promise((resolve) => setImmediate(resolve));
      }
      return times.sort((one, other) => one - other)[count >> 1]!;
    };
    const quiet = await median(30);
    let ended = 0;
    const worst = ['(a|b)*a(a|b){18}c', '(a|b)*a(a|b){200}c', '(.{0,30}a.{0,30}){9}c'].map(async (pattern) => {
      const refused = await problem(search(pattern));
      ended++;
      return refused?.code;
    });
    const busy = await median(30);
    expect(ended).to.be.below(worst.length); // or nothing was measured
    expect(busy - quiet).to.be.below(100);
    for (const code of await Promise.all(worst)) expect(['invalid', 'unavailable']).to.include(code!);
  });

  it('S2: only a few run at once, some wait, and the rest is told to come back', async () => {
    const limiter = new Limiter(2);
    const leave = [await limiter.enter(), await limiter.enter()];
    const order: number[] = [];
    const waiting = Array.from({ length: 32 }, async (_, at) => {
      const done = await limiter.enter();
      order.push(at);
      done();
      done(); // makes room once only
    });
    const refused = await problem(limiter.enter());
    expect(refused?.code).to.equal('unavailable');
    expect(order).to.be.empty();
    for (const done of leave) done();
    await Promise.all(waiting);
    expect(order).to.equal(Array.from({ length: 32 }, (_, at) => at));
    const gone = new AbortController();
    const [one, other] = [await limiter.enter(), await limiter.enter()];
    const left = problem(limiter.enter(gone.signal));
    gone.abort();
    expect((await left)?.code).to.equal('unavailable');
    one();
    other();
  });
});

describe('patterns that people write', () => {
  it('B: are compared in linear time', () => {
    const text = `${'a'.repeat(5000)}!`;
    const began = performance.now();
    for (const glob of ['{a,aa}'.repeat(100), '*a'.repeat(200), '**a'.repeat(200)])
      expect(compileGlob(glob)!.matches(text)).to.be.false();
    expect(compileExpression('(a+)+$')!.matches(text)).to.be.false();
    expect(performance.now() - began).to.be.below(20_000); // a backtracking engine would not end at all
  });

  it('B: that are broken or unfold without end are none', () => {
    for (const broken of ['[', '{a', '\\', 'x'.repeat(1001)]) expect(compileGlob(broken), broken).to.be.undefined();
    for (const broken of ['(', '(a{1,99}){1,99}', 'a{1,999}'.repeat(9)])
      expect(compileExpression(broken)).to.be.undefined();
    expect(expressionSize('ab[c-z]{3}(d|e)\\{2')).to.equal(2 + 3 + 3 + 2);
  });
});
