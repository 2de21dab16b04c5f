import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { api, makeWorld, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('types of files of releases', () => {
  let world: World;
  let files: string;
  const raw = (query: string, payload: string | Buffer) =>
    world.ben.inject({
      method: 'POST',
      url: `${files}${query}`,
      payload,
      headers: { 'content-type': 'application/octet-stream' },
    });
  const pathOf = (answer: { json: { browser_download_url: string } }) =>
    new URL(answer.json.browser_download_url).pathname;

  before(async () => {
    world = await makeWorld(['releases'], { 'repository.release': { FILE_MAX_SIZE: 1, ALLOWED_TYPES: '' } });
    const made = await send(world.ben, 'POST', `${api}/releases`, { tag_name: 'v/1' });
    files = `${api}/releases/${made.json.id}/assets`;
  });
  after(() => world.host.close());

  it('C1: what is plain text is shown as such, all else has the type of its name; nothing runs', async () => {
    const plain = 'text/plain; charset=utf-8';
    const binary = Buffer.from([0x1f, 0x8b, 0, 0, 255]);
    const zip = Buffer.from('PK\x03\x04 text follows');
    for (const [name, content, type, disposition] of [
      ['a.tar.gz', binary, 'application/gzip', 'attachment'],
      ['a.zip', zip, 'application/zip', 'attachment'],
      ['a.deb', binary, 'application/x-debian-package', 'attachment'],
      ['a.exe', 'echo no program', plain, 'inline'],
      ['a.pdf', '%PDF-1.4', 'application/pdf', 'inline'],
      ['a.svg', '<svg/>', 'image/svg+xml', 'inline'],
      ['a.txt', 'x', plain, 'inline'],
      ['bin.txt', binary, 'application/octet-stream', 'attachment'],
      ['utf16.txt', Buffer.from('\ufefftext', 'utf16le'), 'text/plain; charset=utf-16le', 'inline'],
      ['latin1.txt', Buffer.from('caf\xe9', 'latin1'), 'text/plain; charset=windows-1252', 'inline'],
      ['cut.txt', `x${'\u00e9'.repeat(5000)}`, plain, 'inline'],
      ['a.html', '<script>alert(1)</script>', plain, 'inline'],
      ['a.js', 'x', plain, 'inline'],
      ['a.json', '{}', plain, 'inline'],
      ['a.xhtml', '<html/>', plain, 'inline'],
      ['a.css', 'x', plain, 'inline'],
      ['SHA256SUMS', 'x', plain, 'inline'],
      ['a', binary, 'application/octet-stream', 'attachment'],
      ['empty', '', plain, 'inline'],
      ['picture', Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1'), 'image/png', 'inline'],
    ] as const) {
      const at = pathOf(await raw(`?name=${name}`, content));
      for (const method of ['GET', 'HEAD'] as const) {
        const { headers } = await world.cas.inject({ method, url: at });
        expect([method, name, headers['content-type']]).to.equal([method, name, type]);
        expect(String(headers['content-disposition'])).to.equal(
          `${disposition}; filename="${name}"; filename*=UTF-8''${name}`,
        );
        expect(headers['x-content-type-options']).to.equal('nosniff');
        expect(String(headers['content-security-policy'])).to.startWith("default-src 'none'");
      }
    }
  });
});

describe('files of releases by type', () => {
  it('[repository.release] ALLOWED_TYPES knows endings and media types', async () => {
    const world = await makeWorld(['releases'], { 'repository.release': { ALLOWED_TYPES: '.tar.gz, image/*' } });
    try {
      const { json } = await send(world.ben, 'POST', `${api}/releases`, { tag_name: 'v1' });
      const put = async (name: string) =>
        (
          await world.ben.inject({
            method: 'POST',
            url: `${api}/releases/${json.id}/assets?name=${name}`,
            payload: 'x',
          })
        ).statusCode;
      expect([await put('a.TAR.GZ'), await put('b.png'), await put('c.exe'), await put('gz')]).to.equal([
        201, 201, 400, 400,
      ]);
      const [one] = (await send(world.ben, 'GET', `${api}/releases/${json.id}/assets`)).json;
      const renamed = await send(world.ben, 'PATCH', `${api}/releases/${json.id}/assets/${one.id}`, { name: 'x.exe' });
      expect(renamed.statusCode).to.equal(422);
    } finally {
      await world.host.close();
    }
  });
});
