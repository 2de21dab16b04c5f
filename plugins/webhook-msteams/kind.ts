import { Joi } from '@mortise/plugin-sdk';
import { chatMessage, jsonRequest, type WebhookKind } from '@mortise/webhooks/api';
import { adaptiveCard, messageCard } from './services/cards.js';
import { t } from './texts/index.js';

/** Addresses of workflows take adaptive cards, those of the older connectors take message cards. */
const takesAdaptive = (url: string): boolean =>
  URL.canParse(url) &&
  /\.(?:logic\.azure\.(?:com|us|cn)|powerplatform\.com|powerautomate\.com)$/.test(new URL(url).hostname);

/** Own setting: `card`, for addresses that do not tell by themselves which cards they take. */
export const msteamsKind: WebhookKind = {
  key: 'msteams',
  label: 'Microsoft Teams',
  icon: 'people',
  order: 60,
  signed: true,
  jsonOnly: true,
  settings: [
    {
      name: 'card',
      label: t.later('card'),
      type: 'select',
      options: [
        { value: 'auto', label: t.later('auto') },
        { value: 'adaptive', label: t.later('adaptive') },
        { value: 'message', label: t.later('message') },
      ],
    },
  ],
  schema: Joi.object({ card: Joi.string().default('auto') }),
  request(delivery) {
    const message = chatMessage(delivery);
    if (!message) return undefined;
    const { card = 'auto' } = delivery.hook.settings;
    const isAdaptive = card === 'adaptive' || (card === 'auto' && takesAdaptive(delivery.hook.url));
    return jsonRequest(delivery, isAdaptive ? adaptiveCard(message) : messageCard(message));
  },
};
