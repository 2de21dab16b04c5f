import { Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { converse } from '../services/conversation.js';
import { flush, packet, parsePackets } from '../services/packet-lines.js';
import type { GitRepository, Ref } from '@mortise/git/api';
import { listRefs, protocolVersion } from '../services/advertise.js';
import { named } from '../services/sessions.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('git on any transport, the small parts', () => {
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

  it('tens of thousands of prefixes take no longer than one', async () => {
    const refs: Ref[] = Array.from({ length: 20_000 }, (_, at) => {
      const name = `some/branch/${String(at).padStart(5, '0')}`;
      return { ref: `refs/heads/${name}`, name, oid: 'a'.repeat(40) };
    });
    const head = { ref: 'refs/heads/main', branch: 'main' };
    const facts = { refs: async () => refs, head: async () => head, objectFormat: async () => 'sha1' };
    const repository = facts as unknown as GitRepository;
    const ask = async (prefixes: readonly string[]) => {
      const lines = ['command=ls-refs\n', ...prefixes.map((prefix) => `ref-prefix ${prefix}\n`)].map(packet);
      return parsePackets((await listRefs(repository, Buffer.concat([...lines, flush])))!)!.length - 1;
    };
    expect([await ask([]), await ask(['refs/heads/some/branch/0001', 'refs/tags/', 'refs/heads/x'])]).to.equal([
      20_000, 10,
    ]);
    // of this process alone: others may have the machine meanwhile
    const begun = process.cpuUsage();
    expect(await ask(Array.from({ length: 40_000 }, (_, at) => `refs/heads/some/branch/x${at}`))).to.equal(0);
    expect(process.cpuUsage(begun).user / 1000).to.be.below(2000);
  });

  it('names with .git, without, and wikis', () => {
    expect(named('a.git')).to.equal({ name: 'a', kind: 'code' });
    expect(named('a')).to.equal({ name: 'a', kind: 'code' });
    expect(named('a.wiki.git')).to.equal({ name: 'a', kind: 'wiki' });
  });
});

describe('a conversation in version 2', () => {
  const speak = async (chunks: (string | Buffer)[], answer: (request: string) => Promise<Buffer>) => {
    const input = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
    const exchange = converse(Buffer.from('hello'), input, (request) => answer(request.toString()));
    const said: Buffer[] = [];
    for await (const chunk of exchange.output as AsyncIterable<Buffer>) said.push(chunk);
    return { said: Buffer.concat(said).toString(), code: await exchange.done };
  };
  const echo = async (request: string) => Buffer.from(`<${request}>`);

  it('answers request after request, however they are cut', async () => {
    const one = '0014command=ls-refs\n00010009peel\n0000';
    const two = '0012command=fetch\n0000';
    const whole = `${one}${two}`;
    const expected = { said: `hello<${one}><${two}>`, code: 0 };
    expect(await speak([whole], echo)).to.equal(expected);
    expect(await speak([...whole], echo)).to.equal(expected);
    expect(await speak([whole, '0000', whole], echo)).to.equal(expected);
    expect(await speak([], echo)).to.equal({ said: 'hello', code: 0 });
  });

  it('says what is wrong in words of git', async () => {
    expect(await speak(['GET / HTTP'], echo)).to.equal({
      said: 'hello0025ERR This is not the Git protocol.',
      code: 128,
    });
    const endless = Array.from({ length: 300 }, () => `ffff${'x'.repeat(65_531)}`);
    expect((await speak(endless, echo)).said).to.contain('too large');
  });
});
