import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { escapeDn, escapeFilter, fillPattern, plainDn } from '../services/escape.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('names in filters and distinguished names', () => {
  it('LDAP injection: stand for themselves in filters (RFC 4515)', () => {
    expect(escapeFilter('*)(uid=*))(|(uid=*')).to.equal('\\2a\\29\\28uid=\\2a\\29\\29\\28|\\28uid=\\2a');
    expect(escapeFilter('a\\b\u0000')).to.equal('a\\5cb\\00');
    expect(fillPattern('(|(uid=%s)(mail=%[1]s))', escapeFilter('a*'))).to.equal('(|(uid=a\\2a)(mail=a\\2a))');
    expect(fillPattern('(uid=%s)', "$&$'$1")).to.equal("(uid=$&$'$1)");
  });

  it('LDAP injection: stand for themselves in distinguished names (RFC 4514)', () => {
    expect(escapeDn('ada,ou=admins')).to.equal('ada\\,ou\\=admins');
    expect(escapeDn(' #"+<>;\\ ')).to.equal('\\ #\\"\\+\\<\\>\\;\\\\\\ ');
    expect(escapeDn('#a\n\u0000')).to.equal('\\#a\\0a\\00');
  });

  it('are compared whatever their case and spaces', () => {
    expect(plainDn('CN=Devs , OU = Groups,dc=example')).to.equal('cn=devs,ou=groups,dc=example');
  });
});
