import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { flush, packet, parsePackets } from '../services/packet-lines.js';
import { protocolVersion } from '../services/advertise.js';
import { named } from '../services/visit.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('git over HTTP, the small parts', () => {
  it('packet lines go and come', () => {
    const body = Buffer.concat([packet('command=ls-refs\n'), Buffer.from('0001'), packet('peel\n'), flush]);
    expect(parsePackets(body)).to.equal(['command=ls-refs', { special: 'delim' }, 'peel', { special: 'flush' }]);
    for (const bad of ['zzzz', '0003', '00ffshort']) expect(parsePackets(Buffer.from(bad))).to.be.undefined();
  });

  it('an odd protocol header is version 0', () => {
    expect(
      ['version=2', 'version=1', 'a=b:version=2', undefined, 'version=9', 'version=2; rm -rf'].map(protocolVersion),
    ).to.equal([2, 1, 2, 0, 0, 0]);
  });

  it('names with .git, without, and wikis', () => {
    expect(named('a.git')).to.equal({ name: 'a', kind: 'code' });
    expect(named('a')).to.equal({ name: 'a', kind: 'code' });
    expect(named('a.wiki.git')).to.equal({ name: 'a', kind: 'wiki' });
  });
});
