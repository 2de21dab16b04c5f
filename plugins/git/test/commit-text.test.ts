// Database: none
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { repairUtf8 } from '../services/commit-text.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('U3: bytes of messages that are not UTF-8', () => {
  for (const [what, bytes, text] of [
    ['ASCII', [0x61, 0x0a], 'a\n'],
    ['characters of two to four bytes', [0xc3, 0xa4, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80], 'ä€😀'],
    ['Latin-1', [0x4a, 0xf6, 0x72, 0x67], 'Jörg'],
    ['a character that is cut', [0xe2, 0x82], 'â\u0082'],
    ['a longer form than needed', [0xc0, 0xaf, 0xe0, 0x80, 0xaf], 'À¯à\u0080¯'],
    ['a surrogate', [0xed, 0xa0, 0x80], 'í\u00a0\u0080'],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80], 'ô\u0090\u0080\u0080'],
    ['code points that are no characters', [0xef, 0xbf, 0xbf, 0xef, 0xb7, 0x90], 'ï¿¿ï·\u0090'],
    ['the last of a plane', [0xf0, 0x9f, 0xbf, 0xbe], 'ð\u009f¿¾'],
  ] as const)
    it(`${what}: as git reads them`, () => {
      expect(repairUtf8(Buffer.from(bytes))).to.equal(text);
    });

  it('megabytes of them are read byte by byte, without a call for each', () => {
    const size = 8 * 1024 * 1024;
    const text = repairUtf8(Buffer.alloc(size, 0xe4));
    expect(text.length).to.equal(size);
    expect(text.slice(-3)).to.equal('äää');
  });
});
