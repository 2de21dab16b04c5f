import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Forbidden, Problem, type AuthRequest, type Surface } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { sspiMethod, type MethodDeps } from '../services/method.js';

export const lab = Lab.script();
const { describe, it } = lab;

const settings = { KEYTAB: '', SERVICE_NAME: '', ENABLE_API: true, ENABLE_GIT: true, CHALLENGE_PAGES: true };
const token = Buffer.from('6082012006062b0601050502a0820114', 'hex').toString('base64');

function make(deps: Partial<MethodDeps>) {
  const logged: string[] = [];
  const method = sspiMethod(
    {
      accounts: { actorOf: () => ({ kind: 'user', id: 1 }) as never, refusal: () => undefined },
      acceptor: { accept: async () => ({ principal: 'ada@R', answer: '' }) },
      principalAccounts: {
        of: async () => ({}) as Account,
        isOffered: async () => true,
        lacksFactor: async () => false,
      },
      log: { warn: (text) => void logged.push(text) },
      ...deps,
    },
    settings,
  );
  const ask = async (surface: Surface) =>
    method.authenticate({
      headers: { authorization: `Negotiate ${token}` },
      remoteAddress: '203.0.113.7',
      path: '/',
      surface,
    } as unknown as AuthRequest);
  return { ask, logged };
}

describe('tickets that the browser sends by itself', () => {
  const never = () => Promise.reject(new Error('not asked'));
  for (const [what, status, deps] of [
    ['nobody could check', 503, { acceptor: { accept: () => Promise.reject(new Problem('unavailable', 'busy')) } }],
    [
      'whose name is somebody else’s',
      403,
      { principalAccounts: { of: () => Promise.reject(Forbidden('taken')), isOffered: never, lacksFactor: never } },
    ],
  ] as const)
    it(`and that ${what} leave pages to visitors, and are refused elsewhere`, async () => {
      const { ask, logged } = make(deps);
      expect(await ask('page')).to.be.undefined();
      expect(logged.length).to.equal(1);
      for (const surface of ['api', 'protocol'] as const) {
        const refused = (await expect(ask(surface)).to.reject()) as unknown as { status: number };
        expect(refused.status).to.equal(status);
      }
    });

  it('what is no Problem stays one of the program', async () => {
    const { ask } = make({ acceptor: { accept: () => Promise.reject(new Error('broken')) } });
    await expect(ask('page')).to.reject('broken');
    expect(await make({}).ask('page')).to.include({ actor: { kind: 'user', id: 1 } });
  });
});
