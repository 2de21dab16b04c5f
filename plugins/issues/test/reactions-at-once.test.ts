import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { send } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('reactions to several texts at once', () => {
  let host: TestHost;
  let ada: SignedIn;
  let ben: SignedIn;
  let comment: number;
  before(async () => {
    host = await startHost({ plugins: ['auth-basic', 'auth-token', 'issues'] });
    [ada, ben] = [await signUp(host, 'ada'), await signUp(host, 'ben')];
    for (const name of ['mill', 'other']) {
      await send(ada, 'POST', '/user/repos', { name });
      await send(ada, 'POST', `/repos/ada/${name}/issues`, { title: 'first' });
      await send(ada, 'POST', `/repos/ada/${name}/issues`, { title: 'second' });
      await send(ben, 'POST', `/repos/ada/${name}/issues/1/reactions`, { content: 'heart' });
    }
    comment = (await send(ada, 'POST', '/repos/ada/mill/issues/2/comments', { body: 'text' })).json.id;
    await send(ben, 'POST', `/repos/ada/mill/issues/comments/${comment}/reactions`, { content: 'rocket' });
    await send(ada, 'POST', `/repos/ada/mill/issues/comments/${comment}/reactions`, { content: 'eyes' });
  });
  after(() => host?.close());

  const ask = (by: SignedIn, query: string, name = 'mill') =>
    send(by, 'GET', `/repos/ada/${name}/issues/reactions?${query}`);
  const shown = async (query: string, name?: string) =>
    (await ask(ben, query, name)).json.map(
      (one: { issue: number; comment: number; content: string; user: { login: string } }) => [
        one.issue,
        one.comment,
        one.content,
        one.user.login,
      ],
    );

  it('names the text of each, of this repository alone', async () => {
    expect(await shown('issues=1,2,77')).to.equal([[1, 0, 'heart', 'ben']]);
    expect(await shown(`issues=1&comments=${comment}`)).to.equal([
      [1, 0, 'heart', 'ben'],
      [2, comment, 'rocket', 'ben'],
      [2, comment, 'eyes', 'ada'],
    ]);
    expect(await shown(`comments=${comment}`, 'other')).to.equal([]);
    expect(await shown('')).to.equal([]);
  });

  it('refuses what is no list, and shows nothing of what one may not read', async () => {
    for (const query of ['issues=x', 'issues=1,,2', `issues=${Array(300).fill('12345').join(',')}`])
      expect((await ask(ben, query)).statusCode, query.slice(0, 40)).to.equal(422);
    await send(ada, 'PATCH', '/repos/ada/other', { private: true });
    expect((await ask(ben, 'issues=1', 'other')).statusCode).to.equal(404);
    await send(ada, 'PATCH', '/repos/ada/mill', { has_issues: false });
    expect(await shown(`issues=1&comments=${comment}`)).to.equal([]);
    await send(ada, 'PATCH', '/repos/ada/mill', { has_issues: true });
  });
});
