import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { PackCache, type PackSource } from '../services/pack-cache.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (happens: () => boolean | Promise<boolean>) => {
  for (let attempt = 0; attempt < 3000 && !(await happens()); attempt++) await wait(20);
  expect(await happens()).to.be.true();
};

async function readAll(stream: Readable | undefined, slowly = 0): Promise<Buffer> {
  const chunks: Buffer[] = [];
  if (!stream) throw new Error('nothing to read');
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if (slowly) await wait(slowly);
  }
  return Buffer.concat(chunks);
}

describe('one pack for many', { timeout: 600_000 }, () => {
  let root: string;
  let repository: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mortise-packs-'));
    repository = join(root, '1.git');
    await mkdir(join(repository, 'objects', 'pack'), { recursive: true });
    await writeFile(join(repository, 'mortise-refs'), randomBytes(12).toString('hex'));
  });
  after(() => rm(root, { recursive: true }));

  let n = 0;
  const never = () => {
    throw new Error('not to be made');
  };
  const cacheAt = (folder = join(root, `cache-${++n}`), maxBytes = 100_000_000) => new PackCache(folder, maxBytes);
  const request = (text: string) => ({ repository, protocol: '2', body: Buffer.from(text) });

  /** git, imagined: says `content` in pieces. */
  class Git implements PackSource {
    readonly output = new PassThrough();
    ended: (code: number) => void = () => undefined;
    killed = false;
    readonly done = new Promise<number>((resolve) => (this.ended = resolve));
    kill(): void {
      this.killed = true;
      this.output.destroy();
      this.ended(-1);
    }
    async say(content: Buffer, code = 0, piece = 65_536): Promise<void> {
      for (let at = 0; at < content.length; at += piece) {
        if (!this.output.write(content.subarray(at, at + piece)))
          await new Promise((resolve) => this.output.once('drain', resolve));
        await wait(1);
      }
      this.output.end();
      this.ended(code);
    }
  }

  it('a hundred who ask at the same time cost one, whether they read fast or slowly', async () => {
    const cache = cacheAt();
    const content = randomBytes(3_000_000);
    let started = 0;
    const git = new Git();
    const start = () => {
      started++;
      void git.say(content);
      return git;
    };
    const got = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        await wait(index % 10);
        return readAll(await cache.open(request('want'), start), index % 7 === 0 ? 3 : 0);
      }),
    );
    expect(started).to.equal(1);
    expect(got.every((one) => one.equals(content))).to.be.true();
    expect((await readAll(await cache.open(request('want'), start))).equals(content)).to.be.true();
    expect([started, cache.made]).to.equal([1, 1]);
  });

  it('makes no second one in the moment in which the first gets its name', async () => {
    const folder = join(root, 'named');
    const caches = [cacheAt(folder), cacheAt(folder)] as const;
    for (let round = 0; round < 150; round++) {
      const begin = () => {
        const git = new Git();
        void git.say(Buffer.from(`answer ${round}`));
        return git;
      };
      const asked: Promise<Buffer | undefined>[] = [];
      for (let attempt = 0; attempt < 40; attempt++) {
        const opened = caches[attempt % 2]!.open(request(`round ${round}`), begin);
        // it waits for the other process for some milliseconds only, and may be told to run git alone
        asked.push(opened.then((stream) => stream && readAll(stream)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const answers = (await Promise.all(asked)).filter((answer) => answer !== undefined);
      expect(answers.length).to.be.above(0);
      for (const answer of answers) expect(answer.toString()).to.equal(`answer ${round}`);
    }
    expect(caches[0].made + caches[1].made).to.equal(150);
  });

  it('reads along with another process', async () => {
    const folder = join(root, 'shared');
    const [one, other] = [cacheAt(folder), cacheAt(folder)];
    const content = randomBytes(2_000_000);
    const git = new Git();
    const first = readAll(await one.open(request('x'), () => git));
    const second = readAll(
      await other.open(request('x'), () => {
        throw new Error('made twice');
      }),
    );
    await git.say(content);
    expect([(await first).equals(content), (await second).equals(content)]).to.equal([true, true]);
  });

  /** An answer that two caches on the same folder read: who records it, and who reads along. */
  const shared = async (name: string) => {
    const folder = join(root, name);
    const [one, other] = [cacheAt(folder), cacheAt(folder)];
    const git = new Git();
    const content = randomBytes(1_000_000);
    const first = await one.open(request('x'), () => git);
    const second = await other.open(request('x'), () => {
      throw new Error('made twice');
    });
    git.output.write(content.subarray(0, 400_000));
    return { folder, one, other, git, content, first, second };
  };

  it('goes on for those who read along in another process, however slowly, when its own clients leave', async () => {
    const { folder, git, content, first, second, one } = await shared('left');
    const got = second?.read() as Buffer | null;
    first?.resume();
    await wait(50);
    first?.destroy();
    await wait(1500);
    expect(git.killed).to.be.false();
    const third = readAll(await one.open(request('x'), never));
    void git.say(content.subarray(400_000));
    const rest = await readAll(second);
    expect(Buffer.concat([...(got ? [got] : []), rest]).equals(content)).to.be.true();
    expect((await third).equals(content)).to.be.true();
    await until(async () => (await readdir(folder)).every((name) => name.endsWith('.pack')));
    expect((await readAll(await one.open(request('x'), never))).equals(content)).to.be.true();
  });

  it('ends git when those who read along in another process have left too', async () => {
    const { folder, git, first, second, other } = await shared('deserted');
    first?.destroy();
    await wait(700);
    expect(git.killed).to.be.false();
    second?.destroy();
    await until(() => git.killed);
    await until(async () => (await readdir(folder)).length === 0);
    // who comes after that gets an answer of its own
    const next = new Git();
    const taken = readAll(await other.open(request('x'), () => next));
    await next.say(Buffer.from('new'));
    expect((await taken).toString()).to.equal('new');
  });

  it('nobody reads along with what its recorder is about to give up', async () => {
    const { folder, git, first, second, other } = await shared('given-up');
    second?.destroy();
    await until(async () => !(await readdir(folder)).some((name) => name.endsWith('.along')));
    const [part = ''] = await readdir(folder);
    await chmod(join(folder, part), 0o400);
    expect(await other.open(request('x'), never)).to.be.undefined();
    expect(await readdir(folder)).to.equal([part]);
    first?.destroy();
    await until(() => git.killed);
  });

  it('nobody is cut off who comes at the moment when the last client leaves', async () => {
    const counts = { along: 0, own: 0, alone: 0 };
    for (let round = 0; round < 60; round++) {
      const { git, content, first, second, other } = await shared(`moment-${round}`);
      second?.destroy();
      await wait(5);
      let isOwn = false;
      const asked = other.open(request('x'), () => {
        isOwn = true;
        const next = new Git();
        void next.say(content);
        return next;
      });
      for (let attempt = 0; attempt < round % 15; attempt++) await new Promise(setImmediate);
      first?.destroy();
      const answer = await asked;
      if (answer && !isOwn) void git.say(content.subarray(400_000));
      if (answer) expect((await readAll(answer)).equals(content)).to.be.true();
      counts[answer ? (isOwn ? 'own' : 'along') : 'alone']++;
      if (!answer) await until(() => git.killed);
    }
    expect(counts.along + counts.own + counts.alone).to.equal(60);
  });

  it('keeps no answer that failed, and takes over from a process that was killed', async () => {
    const folder = join(root, 'failed');
    const cache = cacheAt(folder);
    const bad = new Git();
    const said = readAll(await cache.open(request('x'), () => bad));
    await bad.say(Buffer.from('ERR not our ref'), 128);
    expect((await said).toString()).to.equal('ERR not our ref');
    await until(async () => (await readdir(folder)).length === 0);
    const gone = new Git();
    const stream = await cache.open(request('x'), () => gone);
    const [part = ''] = await readdir(folder);
    const long = new Date(Date.now() - 120_000);
    await utimes(join(folder, part), long, long);
    const next = new Git();
    const taken = readAll(await cacheAt(folder).open(request('x'), () => next));
    await next.say(Buffer.from('new'));
    expect((await taken).toString()).to.equal('new');
    stream?.destroy();
    await until(() => gone.killed);
  });

  it('takes no answer for whole that another process has begun anew', async () => {
    const folder = join(root, 'asleep');
    const [one, other] = [cacheAt(folder), cacheAt(folder)];
    const [git, anew] = [new Git(), new Git()];
    const first = readAll(await one.open(request('x'), () => git));
    const long = new Date(Date.now() - 60_000);
    const [part = ''] = await readdir(folder);
    await utimes(join(folder, part), long, long);
    const second = readAll(await other.open(request('x'), () => anew));
    anew.output.write('the first half, ');
    await git.say(Buffer.from('from before'));
    expect((await first).toString()).to.equal('from before');
    await wait(50);
    expect(await readdir(folder)).to.equal([part]);
    await anew.say(Buffer.from('and the second'));
    expect((await second).toString()).to.equal('the first half, and the second');
    await until(async () => (await readdir(folder)).every((name) => name.endsWith('.pack')));
    expect((await readAll(await one.open(request('x'), never))).toString()).to.match(/second$/);
  });

  it('ends git when the last reader leaves, not when the first does', async () => {
    const cache = cacheAt();
    const git = new Git();
    const [one, two] = [await cache.open(request('x'), () => git), await cache.open(request('x'), () => git)];
    git.output.write('a');
    await wait(20);
    one?.destroy();
    await wait(20);
    expect(git.killed).to.be.false();
    two?.destroy();
    await until(() => git.killed);
  });

  it('does not share what is a client’s own affair, or is about to change', async () => {
    const cache = cacheAt();
    expect(await cache.open(request('0032have 1234\n'), never)).to.be.undefined();
    const fingerprint = join(repository, 'mortise-refs');
    await writeFile(fingerprint, 'changing');
    expect(await cache.open(request('want'), never)).to.be.undefined();
    await writeFile(fingerprint, randomBytes(12).toString('hex'));
    expect(await new PackCache(join(root, 'off'), 0).open(request('want'), never)).to.be.undefined();
    const pack = join(repository, 'objects', 'pack', 'a.pack');
    await writeFile(pack, Buffer.alloc(600));
    expect(await cacheAt(undefined, 1000).open(request('want'), never)).to.be.undefined();
    await rm(pack);
  });

  it('another state of the references is another answer', async () => {
    const cache = cacheAt();
    const ask = async (text: string) => {
      const git = new Git();
      void git.say(Buffer.from(text));
      return (await readAll(await cache.open(request('want'), () => git))).toString();
    };
    expect(await ask('one')).to.equal('one');
    await wait(20);
    expect(await ask('two')).to.equal('one');
    await writeFile(join(repository, 'mortise-refs'), randomBytes(12).toString('hex'));
    expect(await ask('three')).to.equal('three');
  });

  it('keeps to its size and throws away what is old', async () => {
    const folder = join(root, 'swept');
    const cache = cacheAt(folder, 1000);
    const now = Date.now();
    for (const [name, size, age] of [
      ['new.pack', 600, 0],
      ['second.pack', 600, 10],
      ['old.pack', 1, 4000],
      ['left.part', 1, 60],
      ['running.part', 1, 1],
    ] as const) {
      await writeFile(join(folder, name), Buffer.alloc(size));
      const at = new Date(now - age * 1000);
      await utimes(join(folder, name), at, at);
    }
    await cache.sweep(now);
    expect((await readdir(folder)).sort()).to.equal(['new.pack', 'running.part']);
    expect((await stat(join(folder, 'new.pack'))).size).to.equal(600);
  });

  it('does not grow far beyond its size before the next round', async () => {
    const folder = join(root, 'flooded');
    const cache = cacheAt(folder, 100_000);
    for (let at = 0; at < 20; at++) {
      const git = new Git();
      const answer = readAll(await cache.open(request(`flood ${at}`), () => git));
      await git.say(randomBytes(20_000));
      await answer;
      await wait(5);
    }
    const total = async () => {
      const sizes = await Promise.all(
        (await readdir(folder)).map(async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0),
      );
      return sizes.reduce((sum, size) => sum + size, 0);
    };
    await until(async () => (await total()) <= 125_000);
    expect(await total()).to.be.above(0);
  });
});
