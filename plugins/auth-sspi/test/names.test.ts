import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readPrincipal, accountName } from '../services/principal.js';
import { sourceSchema } from '../services/source-settings.js';
import { tokenOf } from '../services/token.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('what clients of Negotiate send', () => {
  const spnego = Buffer.from('6082012006062b0601050502a0820114', 'hex').toString('base64');
  it('is taken where it can hold', () => {
    expect(tokenOf(`Negotiate ${spnego}`)).to.equal(spnego);
    expect(tokenOf(`negotiate  ${spnego}`)).to.equal(spnego);
    const kerberosAlone = Buffer.from('6082012006092a864886f71201020201', 'hex').toString('base64');
    const ntlm = Buffer.from('NTLMSSP\0\x01\0\0\0').toString('base64');
    for (const other of [kerberosAlone, ntlm, '', 'nonsense', `${spnego}!`, `${spnego} x`, spnego + 'A'.repeat(70_000)])
      expect([other.slice(0, 20), tokenOf(`Negotiate ${other}`)]).to.equal([other.slice(0, 20), undefined]);
  });

  it('names people, not hosts, services and instances', () => {
    expect(readPrincipal('ada@EXAMPLE.TEST')).to.equal({
      full: 'ada@EXAMPLE.TEST',
      user: 'ada',
      realm: 'EXAMPLE.TEST',
    });
    for (const nobody of [
      'ada',
      'HTTP/host@R',
      'ada/admin@R',
      'ada$@R',
      '$@R',
      'a\\@b@R',
      '@R',
      'ada@',
      'WELLKNOWN/ANONYMOUS@WELLKNOWN:ANONYMOUS',
      'a@b@R',
      'a b@R',
      `${'x'.repeat(300)}@R`,
    ])
      expect([nobody, readPrincipal(nobody)]).to.equal([nobody, undefined]);
  });

  it('becomes a name as the source says', () => {
    const ada = readPrincipal('ada@EXAMPLE.TEST')!;
    expect(accountName(ada, { stripDomainNames: true, separatorReplacement: '_' })).to.equal('ada');
    expect(accountName(ada, { stripDomainNames: false, separatorReplacement: '-' })).to.equal('ada-EXAMPLE.TEST');
  });

  it('a source needs realms, and has the defaults of the compatible service', () => {
    const checked = sourceSchema.validate({ realms: 'EXAMPLE.TEST, OTHER.TEST' });
    expect(checked.error).to.be.undefined();
    expect(checked.value).to.include({ autoCreateUsers: true, autoActivateUsers: true, stripDomainNames: true });
    for (const wrong of [{}, { realms: '' }, { realms: '*' }, { realms: 'A B' }, { realms: 'A', defaultLanguage: '<' }])
      expect(sourceSchema.validate(wrong).error, JSON.stringify(wrong)).to.exist();
  });
});
