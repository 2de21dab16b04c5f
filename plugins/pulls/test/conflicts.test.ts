import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { isResolvable, resolveConflicts } from '../services/conflict-resolution.js';
import { api, makeWorld, propose, send, shown, write, type PullJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('conflicts resolved in the browser', () => {
  let world: World;
  let count = 0;
  const home = '/ada/loom/pulls';
  const raw = async (path: string, ref: string, at = api) =>
    (await world.ada.inject(`${at}/raw/${path}?ref=${ref}`)).payload;
  const put = async (path: string, branch: string, text: string) => {
    const { body } = await send<{ sha: string }>(world.ada, 'GET', `${api}/contents/${path}?ref=${branch}`);
    const change = { content: Buffer.from(text).toString('base64'), sha: body.sha, branch, message: `change ${path}` };
    expect((await send(world.ada, 'PUT', `${api}/contents/${path}`, change)).status).to.equal(200);
  };
  /** A pull request that changes a file as its base does: other lines in the same places. */
  const inConflict = async (texts: { start: string; base: string; head: string }): Promise<[PullJson, string]> => {
    const name = `both-${++count}`;
    const path = `${name}.txt`;
    await write(world.ada, { path, text: texts.start });
    const pull = await propose(world.ben, name);
    await put(path, name, texts.head);
    await put(path, 'main', texts.base);
    await world.host.settle();
    return [pull, path];
  };
  const commits = async (number: number) => {
    const { head, base } = await shown(world, number);
    return { head: head.sha, base: base.sha };
  };
  const page = async (number: number, by = world.ben) => (await by.inject(`${home}/${number}/conflicts`)).payload;
  const resolve = (number: number, fields: Record<string, string>, by = world.ben) =>
    submitForm(by, `${home}/${number}/conflicts`, fields);
  const two = { start: '1\n2\n3\n4\n5\n6\n7\n', base: 'a\n2\n3\n4\n5\n6\nb\n', head: 'x\n2\n3\n4\n5\n6\ny\n' };

  before(async () => {
    world = await makeWorld({ plugins: ['forks'] });
  });
  after(() => world.host.close());

  it('become one commit on the head branch: of each place one side, both, or other lines', async () => {
    const [{ number }, path] = await inConflict(two);
    expect(await page(number)).to.include(['name="choice-0-1"', 'value="edit"', 'Commit the resolution']);
    // who may not push to the head only looks
    expect(await page(number, world.cas)).to.not.include('choice-0-0');
    const before = await commits(number);
    const fields = {
      ...before,
      'path-0': path,
      'choice-0-0': 'both',
      'choice-0-1': 'edit',
      'text-0-1': 'new\r\nlines',
    };
    expect((await resolve(number, fields, world.cas)).statusCode).to.equal(422);
    const done = await resolve(number, fields);
    expect(done.headers.location, done.payload).to.equal(`${home}/${number}`);
    expect(await raw(path, path.replace('.txt', ''))).to.equal('a\nx\n2\n3\n4\n5\n6\nnew\nlines\n');
    await world.host.settle();
    const { head, mergeable } = await shown(world, number);
    expect(mergeable).to.be.true();
    const { body } = await send<{ parents: { sha: string }[] }>(world.ada, 'GET', `${api}/git/commits/${head.sha}`);
    expect(body.parents.map(({ sha }) => sha)).to.equal([before.head, before.base]);
    // sent twice it is done once
    expect((await resolve(number, fields)).statusCode).to.equal(303);
    expect((await commits(number)).head).to.equal(head.sha);
  });

  it('stay as they are where something is open, left in marks, or has moved meanwhile', async () => {
    const [{ number }, path] = await inConflict(two);
    const at = await commits(number);
    const refusals: [Record<string, string>, string][] = [
      [{ ...at, 'path-0': path, 'choice-0-0': 'base' }, 'is still open'],
      [{ ...at }, 'is still open'],
      [{ ...at, 'path-0': path, 'choice-0-0': 'base', 'choice-0-1': 'nothing' }, 'is still open'],
      [
        {
          ...at,
          'path-0': path,
          'choice-0-0': 'base',
          'choice-0-1': 'edit',
          'text-0-1': '<<<<<<< x\n=======\n>>>>>>> y',
        },
        'still contain conflict marks',
      ],
      [{ ...at, head: '0'.repeat(40), 'path-0': path }, 'has changed in the meantime'],
      [{ ...at, base: at.head, 'path-0': path }, 'The base branch has moved'],
    ];
    for (const [fields, reason] of refusals) {
      const refused = await resolve(number, fields);
      expect(refused.statusCode).to.equal(422);
      expect(refused.payload).to.include(reason);
    }
    // what was chosen is there still
    const [first] = refusals;
    expect((await resolve(number, first![0])).payload).to.match(/name="choice-0-0" value="base"[^>]* checked/);
    expect(await commits(number)).to.equal(at);
  });

  it('of files that are no text, are deleted on a side or hold marks are left to git', async () => {
    const binary = await inConflict({ start: '\0a', base: '\0b', head: '\0c' });
    const marks = '<<<<<<< mine\nleft\n=======\nright\n>>>>>>> theirs\n';
    const nested = await inConflict({ start: 'start\n', base: `${marks}base\n`, head: `${marks}head\n` });
    for (const [{ number }, path] of [binary, nested]) {
      const at = await commits(number);
      expect(await page(number)).to.not.include('choice-0-0');
      const refused = await resolve(number, { ...at, 'path-0': path, 'choice-0-0': 'base' });
      expect(refused.payload).to.include('can only be resolved with git');
      expect(await commits(number)).to.equal(at);
    }
    const [{ number }, path] = await inConflict(two);
    const { body } = await send<{ sha: string }>(world.ada, 'GET', `${api}/contents/${path}`);
    const gone = { sha: body.sha, branch: 'main', message: 'delete' };
    expect((await send(world.ada, 'DELETE', `${api}/contents/${path}`, gone)).status).to.equal(200);
    await world.host.settle();
    const deleted = await resolve(number, { ...(await commits(number)), 'path-0': path });
    expect(deleted.payload).to.include('can only be resolved with git');
  });

  it('in a fork are resolved by who may push there', async () => {
    const { ada, cas } = world;
    await write(ada, { path: 'forked.txt', text: 'start\n' });
    expect((await send(cas, 'POST', `${api}/forks`, {})).status).to.equal(202);
    const at = '/api/v1/repos/cas/loom';
    await write(cas, { into: 'theirs', at });
    const { body } = await send<{ sha: string }>(cas, 'GET', `${at}/contents/forked.txt?ref=theirs`);
    const change = { content: Buffer.from('fork\n').toString('base64'), sha: body.sha, branch: 'theirs', message: 'x' };
    expect((await send(cas, 'PUT', `${at}/contents/forked.txt`, change)).status).to.equal(200);
    const made = await send<PullJson>(cas, 'POST', `${api}/pulls`, { head: 'cas:theirs', base: 'main', title: 'Fork' });
    const { number } = made.body;
    const denied = await send(cas, 'PATCH', `${api}/pulls/${number}`, { allow_maintainer_edit: false });
    expect(denied.status).to.equal(201);
    await put('forked.txt', 'main', 'base\n');
    await world.host.settle();
    const fields = { ...(await commits(number)), 'path-0': 'forked.txt', 'choice-0-0': 'head' };
    expect((await resolve(number, fields, world.ben)).statusCode).to.equal(422);
    expect((await resolve(number, fields, cas)).statusCode).to.equal(303);
    expect((await cas.inject(`${at}/raw/forked.txt?ref=theirs`)).payload).to.equal('fork\n');
  });
});

describe('a text in conflict', () => {
  const [base, head] = ['a'.repeat(40), 'b'.repeat(40)];
  const marked = (one: string, other: string, ending = '\n') =>
    [`<<<<<<< ${base}`, one, '=======', other, `>>>>>>> ${head}`, ''].join(ending);

  it('keeps its line endings and everything around', () => {
    const text = `first\r\n${marked('one', 'other', '\r\n')}last`;
    const of = (side: 'base' | 'head' | 'both' | 'edit', edited?: string) =>
      resolveConflicts('x', text, [{ side, ...(edited !== undefined && { text: edited }) }]);
    expect(of('base')).to.equal('first\r\none\r\nlast');
    expect(of('head')).to.equal('first\r\nother\r\nlast');
    expect(of('both')).to.equal('first\r\none\r\nother\r\nlast');
    expect(of('edit', 'new\nlines\n')).to.equal('first\r\nnew\r\nlines\r\nlast');
    expect(of('edit', '')).to.equal('first\r\nlast');
    expect(() => resolveConflicts('x', text, [])).to.throw();
  });

  it('is only resolved where its marks are those of the merge and no other line looks like one', () => {
    const commits = { base, head };
    const is = (text: string) => isResolvable(text, commits);
    expect(is(marked('one', 'other'))).to.be.true();
    expect(is(`${marked('one', 'other')}Heading\n=======\n`)).to.be.true();
    expect(is(marked('one', 'other').replace(head, `${head}:old.txt`))).to.be.true();
    expect(is('')).to.be.false();
    expect(is(marked('one', 'a\n=======\nb'))).to.be.false();
    expect(is(marked(marked('one', 'other'), 'x'))).to.be.false();
    expect(is(`>>>>>>> x\n${marked('one', 'other')}`)).to.be.false();
    expect(is(`${marked('one', 'other')}<<<<<<< HEAD\n`)).to.be.false();
    expect(is(marked('one', 'other').replace(base, 'HEAD'))).to.be.false();
  });
});
