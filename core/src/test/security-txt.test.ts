import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { securitySettings } from '../http/settings.js';
import { httpKit } from './http-kit.js';

export const lab = Lab.script();
const { describe, it } = lab;

const address = '/.well-known/security.txt';

describe('http: security.txt', () => {
  it('RFC 9116: names the contacts of the site, a date of expiry below a year, and its own address', async () => {
    const CONTACT = 'mailto:security@example.com,https://example.com/report';
    const { inject } = await httpKit({
      rootUrl: 'https://code.example/',
      settings: { security: { CONTACT }, service: { REQUIRE_SIGNIN_VIEW: 'true' } },
    });
    const { statusCode, headers, payload } = await inject(address);
    expect([statusCode, headers['content-type']]).to.equal([200, 'text/plain; charset=utf-8']);
    const fields = payload
      .trimEnd()
      .split('\n')
      .map((line) => /^(\w+): (\S+)$/.exec(line)!.slice(1));
    expect(fields.filter(([name]) => name !== 'Expires')).to.equal([
      ['Contact', 'mailto:security@example.com'],
      ['Contact', 'https://example.com/report'],
      ['Canonical', 'https://code.example/.well-known/security.txt'],
    ]);
    const expires = fields.filter(([name]) => name === 'Expires').map(([, date]) => date!);
    expect(expires).to.have.length(1);
    expect(expires[0]).to.match(/^\d{4}-\d\d-\d\dT00:00:00Z$/);
    expect((Date.parse(expires[0]!) - Date.now()) / 86_400_000).to.be.between(88, 91);
  });

  it('RFC 9116: says no address of its own where the site is not served by https', async () => {
    const { inject } = await httpKit({
      rootUrl: 'http://localhost:3000/',
      settings: { security: { CONTACT: 'tel:+1-201-555-0123' } },
    });
    expect((await inject(address)).payload).to.match(/^Contact: tel:\+1-201-555-0123\nExpires: \S+\n$/);
  });

  it('is not there without a contact, and is the file of the operator where there is one', async () => {
    const without = await httpKit();
    expect((await without.inject(address)).statusCode).to.equal(404);
    const own = 'Contact: https://example.com/own\nExpires: 2030-01-01T00:00:00Z\n';
    const withFile = await httpKit({
      files: { [`public${address}`]: own },
      settings: { security: { CONTACT: 'mailto:security@example.com' } },
    });
    expect((await withFile.inject(address)).payload).to.equal(own);
  });

  it('[security] CONTACT takes mailboxes, https: and tel: addresses, and names what is none of them', () => {
    const read = (CONTACT: string) => securitySettings.validate({ CONTACT });
    expect(read(' security@example.com , https://example.com/report').value!.CONTACT).to.equal(
      'mailto:security@example.com,https://example.com/report',
    );
    expect(read('').value!.CONTACT).to.equal('');
    for (const wrong of [
      'http://example.com',
      'our chat',
      'javascript:alert(1)',
      'a@b.example\nContact: https://evil.example',
    ])
      expect(read(wrong).error?.message, wrong).to.contain('is neither an email address nor');
  });
});
