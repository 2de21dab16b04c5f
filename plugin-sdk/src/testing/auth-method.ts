import type { AuthConnection, Actor, AuthMethod, AuthRequest } from '../actor.js';
import { definePlugin, type PluginDefinition } from '../plugin.js';
import { authMethods } from '../points.js';
import { expectThat, makeUser, type KitUser, type Lab } from './kit.js';
import { startHost, type TestHost } from './start-host.js';

type Headers = Readonly<Record<string, string>>;

interface AuthMethodSample {
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

    it('is there under its key', async () =>
      expectThat(
        method,
        `the plugin contributes no auth method ${sample.key}: host.contribute(authMethods, { key: '${sample.key}', … })`,
      ));

    it('does not mind requests without credentials', async () => {
      expectThat(
        (await ask({})) === undefined,
        'a request without credentials is not for this method: `authenticate` must give undefined',
      );
      expectThat(
        (await me({})).statusCode === 401,
        'a request without credentials must be answered with 401: `authenticate` must give undefined',
      );
    });

    const foreign: Headers[] = [
      { authorization: 'Foreign abc' },
      { cookie: 'other=1' },
      { authorization: '' },
      { 'x-something': 'else' },
    ];
    for (const headers of foreign) {
      it(`leaves ${JSON.stringify(headers)} to others`, async () => {
        expectThat(
          (await ask(headers)) === undefined,
          'the credential is not for this method: `authenticate` must give undefined',
        );
      });
    }

    it('knows the user', async () => {
      const result = await ask(await sample.valid(user, host));
      expectThat(
        result && 'actor' in result,
        `\`authenticate\` must give { actor } for the headers of \`valid\`, but gave ${JSON.stringify(result)}`,
      );
      const actor: Actor = result.actor;
      expectThat(
        actor.id === user.id && actor.name === user.name,
        `\`authenticate\` must give the actor ${user.name} with the id ${user.id}, but gave ${actor.name} with ${actor.id}`,
      );
      expectThat(
        actor.method === sample.key,
        `\`method\` of the actor must be the key of the method, ${sample.key}, not ${actor.method}`,
      );
    });

    it('signs requests in over HTTP', async () => {
      for (const one of [user, other]) {
        const headers = await sample.valid(one, host);
        const answer = await me(headers);
        expectThat(
          answer.statusCode === 200,
          `GET /api/v1/user with the headers of \`valid\` must answer 200, but answered ${answer.statusCode} ${answer.payload}: give an actor for each request that carries them`,
        );
        expectThat(
          answer.json.login === one.name,
          `signed in as ${answer.json.login} instead of ${one.name}: find the user by the credential of each request`,
        );
        for (const secret of sample.secrets?.(headers) ?? [])
          expectThat(
            !answer.payload.includes(secret),
            'an answer must not repeat the credential: leave it out of what `authenticate` gives',
          );
      }
    });

    it('gives no more than it must: a plain user is no administrator', async () => {
      const result = await ask(await sample.valid(user, host));
      expectThat(
        result && 'actor' in result && !result.actor.isAdmin,
        'a plain user became an administrator: take `isAdmin` of the actor from the account',
      );
    });

    it('refuses wrong credentials with 401 and a sentence', async () => {
      const all = await sample.wrong(user, host);
      expectThat(all.length > 0, '`wrong` of the sample must give at least one credential');
      for (const headers of all) {
        const answer = await me(headers);
        expectThat(
          answer.statusCode === 401,
          `${JSON.stringify(headers)} must be refused with 401, but the answer is ${answer.statusCode}: \`authenticate\` must give { refuse: '…' }`,
        );
        expectThat(
          typeof answer.json?.message === 'string' && answer.json.message.length > 0,
          'the refusal must say something: `refuse` is the sentence that the client gets',
        );
        for (const secret of sample.secrets?.(headers) ?? [])
          expectThat(
            !answer.payload.includes(secret),
            'a refusal must not repeat the credential: leave it out of `refuse`',
          );
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
          expectThat(
            answer.statusCode < 500,
            `${name}: ${text.slice(0, 60)} answered ${answer.statusCode}: \`authenticate\` must give undefined or { refuse } for what it cannot read, and not throw`,
          );
        }
      }
    });

    it('is gone when the plugin is off', async () => {
      const headers = await sample.valid(user, host);
      const without = await startHost({ plugins: surroundings });
      try {
        await makeUser(without, user.name);
        const answer = await without.inject({ url: '/api/v1/user', headers });
        expectThat(
          answer.statusCode === 401,
          `with the plugin off its credential must be answered with 401, but the answer is ${answer.statusCode}: \`plugins\` of the sample must not contain what takes it`,
        );
      } finally {
        await without.close();
      }
    });
  });
}
