import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { multipart, submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { api, done, makeWorld, open, poem, type ReviewJson, type CommentJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const home = '/ada/desk';

describe('reactions to comments on lines, and their files', { timeout: 120_000 }, () => {
  let world: World;
  let own: string;
  let at: string;
  let number: number;
  before(async () => {
    world = await makeWorld(['attachments']);
    ({ number, at } = await open(world, { 'poem.txt': poem(undefined, 'pink') }));
    own = `${home}/pulls/${number}`;
  });
  after(() => world.host.close());

  const page = async (by: Pick<TestClient, 'inject'>, url: string) => (await by.inject(url)).payload;
  const comment = async (body: string, action: string) => {
    const fields = { path: 'poem.txt', side: 'new', line: '2', body, action };
    const sent = await submitForm(world.ben, `${own}/reviews/comments`, fields);
    expect(sent.statusCode, sent.payload.slice(0, 500)).to.equal(303);
    return Number(/issuecomment-(\d+)/.exec(String(sent.headers.location))![1]);
  };
  const react = (by: TestClient, id: number, more: object = {}) =>
    submitForm(by, `${home}/issues/${number}/reactions`, { comment: String(id), content: 'heart', ...more });
  const shows = /❤️? 1</;

  it('are given and taken back on both pages', async () => {
    const { ada, ben, host } = world;
    const id = await comment('too pink', 'single');
    for (const url of [own, `${own}/files`]) {
      expect(await page(ada, url), url).to.include([
        `${home}/issues/${number}/reactions`,
        `name="comment" value="${id}"`,
      ]);
      expect(await page(host, url), url).to.not.include('/reactions');
    }
    expect((await react(ada, id)).headers.location).to.equal(`${own}#issuecomment-${id}`);
    for (const url of [own, `${own}/files`])
      for (const by of [ada, ben, host]) expect(await page(by, url), url).to.match(shows);
    const listed = await done<{ content: string }[]>(ben, 'GET', `${api}/issues/comments/${id}/reactions`);
    expect(listed.map(({ content }) => content)).to.equal(['heart']);
    await react(ada, id, { remove: '1' });
    expect(await page(ada, own)).to.not.match(shows);
  });

  it('are not for comments that are not sent, nor for those of other pull requests', async () => {
    const { ada, ben } = world;
    const id = await comment('pending words', 'review');
    expect(await page(ben, `${own}/files`))
      .to.include('pending words')
      .and.not.include(`name="comment" value="${id}"`);
    expect((await react(ada, id)).statusCode).to.equal(422);
    const other = await open(world, { 'other.txt': 'words\n' });
    const sent = await submitForm(ada, `${home}/issues/${other.number}/reactions`, {
      comment: String(id),
      content: 'heart',
    });
    expect(sent.statusCode).to.equal(422);
    expect(await done(ben, 'GET', `${api}/issues/comments/${id}/reactions`)).to.be.empty();
  });

  it('show the files of a comment to those who see it', async () => {
    const { ben, host } = world;
    const [review] = await done<ReviewJson[]>(ben, 'GET', `${at}/reviews`);
    const [first] = await done<CommentJson[]>(ben, 'GET', `${at}/reviews/${review!.id}/comments`);
    const added = await ben.inject({
      method: 'POST',
      url: `${api}/issues/comments/${first!.id}/assets`,
      ...multipart([{ name: 'attachment', fileName: 'sketch.txt', value: 'a sketch' }]),
    });
    expect(added.statusCode, added.payload).to.equal(201);
    for (const url of [own, `${own}/files`])
      expect(await page(host, url), url).to.match(/href="\/attachments\/[\w-]+"[^>]*>sketch\.txt/);
  });
});
