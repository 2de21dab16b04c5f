import { payloadRequest, type WebhookKind } from '@mortise/webhooks/api';
import { t } from './texts/index.js';

/** The event as JSON, or as a form with the JSON in the field `payload`; signed with the hook's secret. */
export const mortiseKind: WebhookKind = {
  key: 'mortise',
  aliases: ['gitea'],
  label: 'Mortise',
  icon: 'webhook',
  order: 10,
  signed: true,
  settings: [
    {
      name: 'signature',
      label: t.later('signature'),
      help: t.later('signatureHelp'),
      type: 'select',
      options: [
        { value: 'hub', label: 'X-Hub-Signature-256' },
        { value: 'standard', label: 'Standard Webhooks' },
      ],
    },
  ],
  request: payloadRequest,
};
