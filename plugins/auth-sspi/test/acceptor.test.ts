import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Acceptor } from '../services/acceptor.js';
import { makeLibrary, type KerberosLibrary } from '../services/library.js';
import { principalOf, type WindowsSspi } from '../services/windows.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** A library in which every token is of the person that it names; each takes until it is let go. */
function makeAcceptor() {
  const used = new Map<string, true>();
  const state = { atOnce: 0, most: 0, asked: 0, release: [] as (() => void)[] };
  const library: KerberosLibrary = {
    initializeServer: async () => {
      const opened = {
        username: null as string | null,
        async step(token: string) {
          state.asked++;
          state.most = Math.max(state.most, ++state.atOnce);
          await new Promise<void>((resolve) => state.release.push(resolve));
          state.atOnce--;
          if (token === 'wrong') throw new Error('no');
          opened.username = token;
          return null;
        },
      };
      return opened;
    },
  };
  const acceptor = new Acceptor({
    load: () => library,
    service: 'HTTP@host',
    used: {
      get: (key) => used.get(key),
      set: (key) => void used.set(key, true),
      delete: (key) => void used.delete(key),
      clear: () => used.clear(),
      load: () => Promise.reject(new Error('not used')),
    },
    log: { info() {}, warn() {} },
  });
  const run = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    void work.catch(() => {}).finally(() => (isOver = true));
    while (!isOver) {
      for (const release of state.release.splice(0)) release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return work;
  };
  return { acceptor, run, state };
}

describe('checking tickets', () => {
  it('takes two threads at most, and refuses when too many wait', async () => {
    const { acceptor, run, state } = makeAcceptor();
    const person = (at: number) => `person${String(at).padStart(6, '0')}`;
    const all = Array.from({ length: 250 }, (_, at) =>
      acceptor.accept(person(at), `203.0.113.${at % 10}`).then(
        (accepted) => accepted?.principal,
        (error: { status: number }) => error.status,
      ),
    );
    const answers = await run(Promise.all(all));
    expect(state.most).to.equal(2);
    expect(answers.slice(0, 202)).to.equal(Array.from({ length: 202 }, (_, at) => person(at)));
    expect(answers.slice(202)).to.equal(Array(48).fill(503));
    // and goes on
    expect((await run(acceptor.accept('later', '')))?.principal).to.equal('later');
  });

  it('replay: a token is good once, also when it comes twice at the same time', async () => {
    const { acceptor, run } = makeAcceptor();
    const accept = (token: string) => acceptor.accept(token, '203.0.113.7');
    const both = await run(Promise.all([accept('ada'), accept('ada')]));
    expect(both.map((one) => one?.principal)).to.equal(['ada', undefined]);
    expect(await run(accept('ada'))).to.be.undefined();
    expect(await run(accept('wrong'))).to.be.undefined();
    // the same bytes, spelled otherwise
    expect((await run(accept('eveA')))?.principal).to.equal('eveA');
    for (const spelled of ['eveA====', 'ev\neA']) expect(await run(accept(spelled))).to.be.undefined();
    expect((await run(accept('bob=')))?.principal).to.equal('bob=');
    expect(await run(accept('boa='))).to.be.undefined();
  });

  it('one network takes some of the waiting places, and leaves those of others free', async () => {
    const { acceptor, run } = makeAcceptor();
    const status = async (token: string, address: string) =>
      acceptor.accept(token, address).then(
        () => 200,
        (error: { status: number }) => error.status,
      );
    const bogus = Array.from({ length: 60 }, (_, at) => status(`bogus${at + 100}`, `2001:db8::${at}`));
    const others = [status('ada', '2001:db8:0:1::1'), status('ben', '203.0.113.7')];
    const answers = await run(Promise.all([...bogus, ...others]));
    expect(answers).to.equal([...Array<number>(52).fill(200), ...Array<number>(8).fill(503), 200, 200]);
  });
});

describe('tickets that Windows checks', () => {
  /** Stands in for the package that calls Windows: a token is good when it names somebody. */
  function makeWindows() {
    const open = { credentials: 0, contexts: 0 };
    let expiry = Date.now() + 60_000;
    const sspi: WindowsSspi = {
      AcquireCredentialsHandle: ({ packageName, credentialUse }) => {
        expect([packageName, credentialUse]).to.equal(['Negotiate', 'SECPKG_CRED_INBOUND']);
        open.credentials++;
        return { credential: {}, tsExpiry: new Date(expiry) };
      },
      FreeCredentialsHandle: () => void open.credentials--,
      AcceptSecurityContext: ({ SecBufferDesc }) => {
        const text = Buffer.from(SecBufferDesc.buffers[0]!).toString();
        if (text === 'bad') throw new Error('SEC_E_INVALID_TOKEN');
        open.contexts++;
        return {
          SECURITY_STATUS: text === 'ntlm' ? 'SEC_I_CONTINUE_NEEDED' : 'SEC_E_OK',
          contextHandle: { text },
          SecBufferDesc: { ulVersion: 0, buffers: [new TextEncoder().encode('proof').buffer] },
        };
      },
      QueryContextAttributes: (context) => ({ sUserName: (context as { text: string }).text }),
      DeleteSecurityContext: () => void open.contexts--,
    };
    return { sspi, open, expire: () => (expiry = 0) };
  }

  it('SSP-01: loads what each system has, and on Windows alone its own package', async () => {
    const { sspi, open, expire } = makeWindows();
    const asked: string[] = [];
    const load = (platform: NodeJS.Platform) =>
      makeLibrary({
        platform,
        require: (name) => {
          asked.push(name);
          return name === 'kerberos' ? { initializeServer: () => Promise.reject(new Error('other')) } : { sspi };
        },
      });
    load('linux');
    load('darwin');
    expect(asked.splice(0)).to.equal(['kerberos', 'kerberos']);
    const windows = load('win32');
    expect(asked).to.equal(['node-expose-sspi/lib/api.js']);
    const step = async (text: string) => {
      const opened = await windows.initializeServer('HTTP@host');
      const answer = await opened.step(Buffer.from(text).toString('base64'));
      return [opened.username, answer && Buffer.from(answer, 'base64').toString()];
    };
    expect(await step('CORP\\ada')).to.equal(['ada@CORP', 'proof']);
    expire();
    // no ticket, a ticket of nobody, and what needs more than one step
    for (const wrong of ['bad', 'ada', 'ntlm']) await expect(step(wrong), wrong).to.reject();
    expect(open).to.equal({ credentials: 1, contexts: 0 });
    expect(() =>
      makeLibrary({
        platform: 'win32',
        require: () => {
          throw new Error('not there');
        },
      }),
    ).to.throw(/node-expose-sspi/);
  });

  it('names people as principals', () => {
    expect(principalOf('CORP\\ada')).to.equal('ada@CORP');
    for (const nobody of ['ada', 'CORP\\', '\\ada', 'a\\b\\c', undefined, 7]) expect(principalOf(nobody)).to.equal('');
  });
});
