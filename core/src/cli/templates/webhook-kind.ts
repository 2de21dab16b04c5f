import { readmeEnd, type Skeleton } from './common.js';

/** A kind that posts one line of text as JSON. */
export function webhookKindFiles({ key, plugin, className }: Skeleton): Record<string, string> {
  return {
    'plugin.ts': `import { definePlugin } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { ${key.replaceAll('-', '')}Kind } from './kind.js';

export default definePlugin({
  name: '${plugin}',
  version: '0.1.0',
  description: 'Webhooks of the kind ${key}',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },

  register(host) {
    host.contribute(webhookKinds, ${key.replaceAll('-', '')}Kind);
  },
});
`,
    'kind.ts': `import { Joi } from '@mortise/plugin-sdk';
import type { HookPayload, WebhookKind } from '@mortise/webhooks/api';

/** Posts one line about each event, to the channel that the hook names. Sending and retrying is done by \`webhooks\`. */
export const ${key.replaceAll('-', '')}Kind: WebhookKind = {
  key: '${key}',
  label: '${className}',
  settings: [{ name: 'channel', label: 'Channel', placeholder: '#builds', required: true }],
  schema: Joi.object({
    channel: Joi.string().pattern(/^#[\\w-]{1,80}$/).required().messages({ 'string.pattern.base': 'a channel looks like #builds' }),
  }).unknown(),

  request({ event, payload, hook }) {
    const text = describe(event, payload);
    if (text === undefined) return undefined;
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ channel: hook.settings.channel, text }),
    };
  },
};

interface Common {
  readonly ref?: string;
  readonly ref_type?: string;
  readonly action?: string;
  readonly commits?: readonly { readonly message: string }[];
  readonly repository?: { readonly full_name: string };
  readonly sender?: { readonly login: string };
}

/** Undefined for events that this kind does not speak of: nothing is sent. */
function describe(event: string, payload: HookPayload): string | undefined {
  const { ref = '', ref_type = '', action = '', commits = [], repository, sender } = payload as Common;
  const who = sender?.login ?? 'somebody';
  const where = repository?.full_name ?? 'a repository';
  switch (event) {
    case 'push':
      return \`\${who} pushed \${commits.length} commits to \${where} (\${ref.replace(/^refs\\/heads\\//, '')})\`;
    case 'create':
    case 'delete':
      return \`\${who} \${event}d the \${ref_type} \${ref} in \${where}\`;
    case 'repository':
      return \`\${who} \${action} \${where}\`;
    default:
      return undefined;
  }
}
`,
    'test/kind.test.ts': `import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { describeWebhookKind } from '@mortise/plugin-sdk/testing';
import plugin from '../plugin.js';

export const lab = Lab.script();

describeWebhookKind(lab, {
  plugin,
  key: '${key}',
  settings: { channel: '#builds' },
  wrongSettings: [{ channel: 'no channel' }],
  check({ body }) {
    const message = JSON.parse(body) as { channel: string; text: string };
    expect(message.channel).to.equal('#builds');
    expect(message.text).to.contain('ada/engine');
  },
});
`,
    'README.md': `# ${plugin}: webhooks of the kind ${key} for Mortise

A hook of this kind posts \`{ "channel": …, "text": … }\` to its address for each event. \`kind.ts\` turns an event into the
request: change it into what your service expects. \`test/\` runs the conformance kit of webhook kinds.
${readmeEnd(plugin)}`,
  };
}
