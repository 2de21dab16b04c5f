import type { AuthConnection, Actor, AuthMethod, AuthRequest } from '../actor.js';
import { definePlugin, type PluginDefinition } from '../plugin.js';
import { authMethods } from '../points.js';
import { expectThat, makeUser, type KitUser, type Lab } from './kit.js';
import { startHost, type TestHost } from './start-host.js';

type Headers = Readonly<Record<string, string>>;

export interface AuthMethodSample {
  readonly plugin: PluginDefinition | string;
  /** Key of the method. */
  readonly key: string;
  readonly settings?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Headers that prove to be that user. */
  valid(user: KitUser, host: TestHost): Headers | Promise<Headers>;
  /** Headers that are meant for this method and prove nothing: each must be refused with 401. */
  wrong(user: KitUser, host: TestHost): readonly Headers[] | Promise<readonly Headers[]>;
  /** The credential itself, where it must not show up in answers. */
  secrets?(headers: Headers): readonly string[];
  readonly plugins?: readonly (PluginDefinition | string)[];
}

const cookiesOf = (header = ''): Record<string, string> =>
  Object.fromEntries(
    header
      .split(/; */)
      .filter((pair) => pair.includes('='))
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );

const fromHere: AuthConnection = {
  peerAddress: '127.0.0.1',
  peerPort: 50_000,
  isTrustedProxy: true,
  isEncrypted: false,
  key: {},
  clientCertificate: undefined,
};

/** The cases that every auth method passes. Call it at the top of a test file of the method. */
export function describeAuthMethod(lab: Lab, sample: AuthMethodSample): void {
  const { describe, it, before, after } = lab;
  const surroundings = [...(sample.plugins ?? []), 'accounts'];

  describe(`the auth method ${sample.key} keeps what methods promise`, () => {
    let host: TestHost;
    let user: KitUser;
    let other: KitUser;
    let method: AuthMethod;

    const ask = (headers: Headers, more: Partial<AuthRequest> = {}) =>
      method.authenticate({
        method: 'GET',
        path: '/api/v1/user',
        headers,
        query: {},
        cookies: cookiesOf(headers.cookie),
        remoteAddress: '127.0.0.1',
        connection: fromHere,
        surface: 'api',
        ...more,
      });
    const me = (headers: Headers) => host.inject({ url: '/api/v1/user', headers });

    before(async () => {
      const probe = definePlugin({
        name: 'kit-probe',
        version: '1.0.0',
        sdk: '*',
        register(door) {
          const methods = door.point(authMethods);
          door.onStart({}, async () => {
            method = methods.get(sample.key)!;
          });
        },
      });
      host = await startHost({ plugins: [sample.plugin, probe, ...surroundings], settings: sample.settings });
      user = await makeUser(host, 'kit-user');
      other = await makeUser(host, 'kit-other');
    });
    after(async () => host?.close());

    it('is there under its key', async () => expectThat(method, `the plugin contributes no auth method ${sample.key}`));

    it('does not mind requests without credentials', async () => {
      expectThat((await ask({})) === undefined, 'a request without credentials is not for this method: give undefined');
      expectThat((await me({})).statusCode === 401, 'without credentials the user is unknown');
    });

    const foreign: Headers[] = [
      { authorization: 'Foreign abc' },
      { cookie: 'other=1' },
      { authorization: '' },
      { 'x-something': 'else' },
    ];
    for (const headers of foreign) {
      it(`leaves ${JSON.stringify(headers)} to others`, async () => {
        expectThat((await ask(headers)) === undefined, 'not for this method: give undefined');
      });
    }

    it('knows the user', async () => {
      const result = await ask(await sample.valid(user, host));
      expectThat(result && 'actor' in result, `expected an actor, got ${JSON.stringify(result)}`);
      const actor: Actor = result.actor;
      expectThat(
        actor.id === user.id && actor.name === user.name,
        `expected the actor ${user.name}, got ${actor.name}`,
      );
      expectThat(actor.method === sample.key, `the actor's method must be ${sample.key}, not ${actor.method}`);
    });

    it('signs requests in over HTTP', async () => {
      for (const one of [user, other]) {
        const headers = await sample.valid(one, host);
        const answer = await me(headers);
        expectThat(answer.statusCode === 200, `expected 200, got ${answer.statusCode} ${answer.payload}`);
        expectThat(answer.json.login === one.name, `signed in as ${answer.json.login} instead of ${one.name}`);
        for (const secret of sample.secrets?.(headers) ?? [])
          expectThat(!answer.payload.includes(secret), 'an answer must not repeat the credential');
      }
    });

    it('gives no more than it must: a plain user is no administrator', async () => {
      const result = await ask(await sample.valid(user, host));
      expectThat(result && 'actor' in result && !result.actor.isAdmin, 'a plain user became an administrator');
    });

    it('refuses wrong credentials with 401 and a sentence', async () => {
      const all = await sample.wrong(user, host);
      expectThat(all.length > 0, 'name at least one wrong credential');
      for (const headers of all) {
        const answer = await me(headers);
        expectThat(
          answer.statusCode === 401,
          `${JSON.stringify(headers)} must be refused with 401, got ${answer.statusCode}`,
        );
        expectThat(
          typeof answer.json?.message === 'string' && answer.json.message.length > 0,
          'the refusal must say something',
        );
        for (const secret of sample.secrets?.(headers) ?? [])
          expectThat(!answer.payload.includes(secret), 'a refusal must not repeat the credential');
      }
    });

    it('is not upset by odd credentials', async () => {
      const valid = await sample.valid(user, host);
      for (const [name, value] of Object.entries(valid)) {
        const odd = [
          '',
          ' ',
          value.slice(0, -1),
          `${value}x`,
          value.split(' ')[0]!,
          `${value.split(' ')[0]} `,
          'x'.repeat(10_000),
          `${value} ${value}`,
          value.replace(/.$/, '\u00ff'),
        ];
        for (const text of odd) {
          const answer = await me({ ...valid, [name]: text });
          expectThat(answer.statusCode < 500, `${name}: ${text.slice(0, 60)} answered ${answer.statusCode}`);
        }
      }
    });

    it('is gone when the plugin is off', async () => {
      const headers = await sample.valid(user, host);
      const without = await startHost({ plugins: surroundings });
      try {
        await makeUser(without, user.name);
        const answer = await without.inject({ url: '/api/v1/user', headers });
        expectThat(answer.statusCode === 401, `expected 401 with the plugin off, got ${answer.statusCode}`);
      } finally {
        await without.close();
      }
    });
  });
}
