import { readmeEnd, type Skeleton } from './common.js';

/** A method that believes a name signed with a shared secret. */
export function authMethodFiles({ key, plugin, className }: Skeleton): Record<string, string> {
  return {
    'plugin.ts': `import { authMethods, definePlugin, fromPackage } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { make${className}Method } from './method.js';
import { settingsSchema } from './settings.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  register(host) {
    const settings = host.settings('${plugin}', settingsSchema);
    host.contribute(authMethods, { accounts }, (services) => make${className}Method(services.accounts, settings.SECRET));
  },
});
`,
    'settings.ts': `import { Joi } from '@mortise/plugin-sdk';

export interface Settings {
  SECRET: string;
}

/** \`[${plugin}]\` */
export const settingsSchema = Joi.object<Settings, true>({
  SECRET: Joi.string().allow('').default('').description('Secret shared with the program that signs names; empty: nobody can sign in this way').meta({ secret: true }),
});
`,
    'method.ts': `import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AuthMethod } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';

/** The signature of a name: HMAC-SHA-256, hexadecimal. */
export const sign = (name: string, secret: string): string => createHmac('sha256', secret).update(name.toLowerCase()).digest('hex');

/** Knows \`Authorization: ${className} name:signature\`. */
export function make${className}Method(accounts: Accounts, secret: string): AuthMethod {
  return {
    key: '${key}',
    order: 50,
    challenge: '${className}',
    // where \`authenticate\` throws: whose request must be tried again later
    recognizes: ({ headers }) => headers.authorization?.startsWith('${className} ') ?? false,
    async authenticate({ headers }) {
      const given = /^${className} ([^:\\s]+):(\\S*)$/.exec(headers.authorization ?? '');
      if (!given) return undefined; // not ours: the next method is asked
      const [, name, signature] = given as unknown as [string, string, string];
      if (!secret || !same(signature, sign(name, secret))) return { refuse: 'the signature is wrong' };
      const account = await accounts.byName(name);
      if (!account || account.kind !== 'user') return { refuse: 'the signature is wrong' };
      const refusal = accounts.refusal(account);
      if (refusal) return { refuse: refusal };
      return { actor: accounts.actorOf(account, '${key}') };
    },
  };
}

/** Takes the same time however much of it is right. */
function same(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
`,
    'test/method.test.ts': `import Lab from '@hapi/lab';
import { describeAuthMethod } from '@mortise/plugin-sdk/testing';
import { sign } from '../method.js';
import plugin from '../plugin.js';

export const lab = Lab.script();

const secret = 'a secret for tests';

describeAuthMethod(lab, {
  plugin,
  key: '${key}',
  settings: { '${plugin}': { SECRET: secret } },
  valid: ({ name }) => ({ authorization: \`${className} \${name}:\${sign(name, secret)}\` }),
  wrong: ({ name }) => [
    { authorization: \`${className} \${name}:\${sign(name, 'another secret')}\` },
    { authorization: \`${className} \${name}:\` },
    { authorization: \`${className} nobody:\${sign('nobody', secret)}\` },
  ],
  secrets: ({ authorization = '' }) => authorization.split(':').slice(1).filter(Boolean),
});
`,
    'README.md': `# ${plugin}: an auth method for Mortise

Another program signs a user's name with a secret that it shares with Mortise, and the user is signed in by
\`Authorization: ${className} name:signature\`, where the signature is HMAC-SHA-256 of the name.

| setting | |
|---|---|
| \`[${plugin}] SECRET\` | the shared secret; empty: nobody can sign in this way |

\`method.ts\` decides who acts: change it into your way of telling. \`test/\` runs the conformance kit of auth methods.
${readmeEnd(plugin)}`,
  };
}
