import { payloadRequest, type WebhookKind } from '@mortise/webhooks/api';

/** For receivers that were made for Gogs: what they look at is in every delivery. */
export const gogsKind: WebhookKind = {
  key: 'gogs',
  label: 'Gogs',
  icon: 'server',
  order: 120,
  signed: true,
  request: payloadRequest,
};
