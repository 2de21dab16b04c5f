import { readmeEnd, type Skeleton } from './common.js';

/** A kind that posts one line of text as JSON. */
export function webhookKindFiles({ key, plugin, className }: Skeleton): Record<string, string> {
  return {
    'plugin.ts': `import { definePlugin, fromPackage } from '@mortise/plugin-sdk';
import { webhookKinds } from '@mortise/webhooks/api';
import { ${key.replaceAll('-', '')}Kind } from './kind.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  register(host) {
    host.contribute(webhookKinds, ${key.replaceAll('-', '')}Kind);
  },
});
`,
    'kind.ts': `import { Joi } from '@mortise/plugin-sdk';
import { chatMessage, chatStyles, writeLine, type WebhookKind } from '@mortise/webhooks/api';

/** Posts one line about each event, to the channel that the hook names. Sending and retrying is done by \`webhooks\`. */
export const ${key.replaceAll('-', '')}Kind: WebhookKind = {
  key: '${key}',
  label: '${className}',
  settings: [{ name: 'channel', label: 'Channel', placeholder: '#builds', required: true }],
  schema: Joi.object({
    channel: Joi.string().pattern(/^#[\\w-]{1,80}$/).required().messages({ 'string.pattern.base': 'a channel looks like #builds' }),
  }).unknown(),

  request(delivery) {
    // undefined: nothing to tell people in a chat, so nothing is sent
    const message = chatMessage(delivery);
    if (!message) return undefined;
    const line = [...message.headline, ...message.by];
    const where = message.repository.name ? \`[\${message.repository.name}] \` : '';
    const text = where + writeLine(line, chatStyles.plain);
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ channel: delivery.hook.settings.channel, text, url: message.url }),
    };
  },
};
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
