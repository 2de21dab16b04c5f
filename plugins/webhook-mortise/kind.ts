import { payloadRequest, type WebhookKind } from '@mortise/webhooks/api';

/** The event as JSON, or as a form with the JSON in the field `payload`; signed with the hook's secret. */
export const mortiseKind: WebhookKind = {
  key: 'mortise',
  aliases: ['gitea'],
  label: 'Mortise',
  icon: 'webhook',
  order: 10,
  signed: true,
  request: payloadRequest,
};
