import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { httpKit } from './http-kit.js';

export const lab = Lab.script();
const { describe, it } = lab;

const files = {
  'public/robots.txt': 'User-agent: *\nDisallow: /\n',
  'public/.well-known/security.txt': 'Contact: mailto:root@example.com\n',
  'public/static/help/index.html': '<p>Help</p>',
  'public/static/.hidden': 'no',
  'public/static/sp ace.css': 'p{}',
  'secret.txt': 'no',
};

describe('http: files of the site itself', () => {
  it('are served to everybody, with their type, a tag and ranges', async () => {
    const { inject } = await httpKit({ files, settings: { service: { REQUIRE_SIGNIN_VIEW: 'true' } } });
    const robots = await inject('/robots.txt');
    expect([robots.statusCode, robots.payload]).to.equal([200, files['public/robots.txt']]);
    expect(robots.headers['content-type']).to.match(/^text\/plain/);
    expect(robots.headers['cache-control']).to.equal('public, max-age=21600');
    expect(robots.headers['x-content-type-options']).to.equal('nosniff');
    const known = await inject({ url: '/robots.txt', headers: { 'if-none-match': String(robots.headers.etag) } });
    expect([known.statusCode, known.payload]).to.equal([304, '']);
    const part = await inject({ url: '/robots.txt', headers: { range: 'bytes=0-9' } });
    expect([part.statusCode, part.payload]).to.equal([206, 'User-agent']);
    const head = await inject({ method: 'HEAD', url: '/.well-known/security.txt' });
    expect([head.statusCode, head.payload]).to.equal([200, '']);
    expect((await inject('/static/help/index.html')).headers['content-type']).to.match(/^text\/html/);
    // slashes are merged
    expect((await inject('/static/help//index.html')).statusCode).to.equal(200);
    expect((await inject('/static/sp%20ace.css')).payload).to.equal('p{}');
  });

  it('are nothing beside the folder, no folders, and nothing hidden', async () => {
    const { inject } = await httpKit({ files });
    for (const path of [
      '/static/',
      '/static/help',
      '/static/help/',
      '/static/none.txt',
      '/static/.hidden',
      '/static/../../secret.txt',
      '/static/%2e%2e/%2e%2e/secret.txt',
      '/static/..%2f..%2fsecret.txt',
      '/static/help/index.html%00.txt',
      '/.well-known/../static/help/index.html%00',
      '/.well-known/',
    ]) {
      const answer = await inject(path);
      expect(answer.statusCode, path).to.be.within(400, 404);
      expect(answer.payload, path).to.not.include('no\n');
    }
  });

  it('are no routes where the folder is not there', async () => {
    const { inject, routes } = await httpKit();
    expect((await inject('/robots.txt')).statusCode).to.equal(404);
    expect(routes.filter(({ value }) => value.path.startsWith('/static'))).to.equal([]);
  });
});
