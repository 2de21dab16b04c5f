import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { excerptOf } from '../api.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the page that searches everything', { timeout: 300_000 }, () => {
  let host: TestHost;
  let ada: TestClient;
  let ben: TestClient;

  before(async () => {
    host = await startHost({ plugins: ['issues'] });
    [ada, ben] = [await signUp(host, 'ada'), await signUp(host, 'ben')];
    const send = async (url: string, payload: object) =>
      expect((await ada.inject({ method: 'POST', url: `/api/v1${url}`, payload })).statusCode).to.equal(201);
    for (const name of ['gearbox', 'vault']) {
      await send('/user/repos', { name, private: name === 'vault', description: 'Full of cogwheels' });
      await send(`/repos/ada/${name}/issues`, { title: 'Rattling cogwheel', body: `In the ${name} <b>` });
      await send(`/repos/ada/${name}/issues/1/comments`, { body: `Oil the 合页 of the ${name} cogwheel` });
    }
  });
  after(() => host.close());

  const page = async (by: Pick<TestClient, 'inject'>, query: string, headers = {}) => {
    const answer = await by.inject({ method: 'GET', url: `/search${query}`, headers });
    expect(answer.statusCode).to.equal(200);
    return answer.payload;
  };

  it('shows what the visitor may see, in a tab for each kind', async () => {
    for (const [type, found] of [
      ['repositories', 'href="/ada/gearbox"'],
      ['issues', 'href="/ada/gearbox/issues/1"'],
      ['comments', 'href="/ada/gearbox/issues/1#issuecomment-'],
    ] as const)
      for (const by of [ada, ben, host]) {
        const html = await page(by, `?q=cogwheel&type=${type}`);
        expect(html, type).to.contain(found);
        expect(html.includes('vault'), type).to.equal(by === ada);
        expect(html).to.contain(by === ada ? '2 results' : '1 result');
      }
    expect(await page(ada, '?q=合页&type=comments')).to.contain('2 results');
    expect(await page(ada, '?q=cogwheel&type=pulls')).to.contain('Nothing was found');
    expect(await page(ada, '?q=In+the&type=issues')).to.contain('In the gearbox &lt;b');
  });

  it('takes what people type, and speaks their language', async () => {
    for (const query of ['', '?q=', '?q=%22', '?q=%27%3B--&type=issues', '?q=x&type=nothing', '?q=x&page=99999'])
      await page(host, query);
    expect((await host.inject(`/search?q=${'x'.repeat(600)}`)).statusCode).to.be.within(400, 499);
    expect(await page(host, '', { 'accept-language': 'de' })).to.contain('Wonach wird gesucht?');
    expect(await page(host, '', { 'accept-language': 'zh-CN' })).to.contain('您在找什么？');
    expect(await page(host, '')).to.contain('action="/search"');
  });

  it('shows the part of a text where it was found', () => {
    const long = `${'before '.repeat(100)}the needle ${'after '.repeat(100)}`;
    expect(excerptOf(long, 'Needle'))
      .to.match(/^….*the needle .*…$/)
      .and.to.have.length(excerptOf(long, 'Needle').length);
    expect(excerptOf(long, 'Needle').length).to.be.at.most(202);
    expect(excerptOf('a\n\nb', 'x')).to.equal('a b');
    expect(excerptOf('x'.repeat(1000), 'nothing')).to.have.length(201);
  });
});
