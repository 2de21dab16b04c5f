import type { Translation } from '@mortise/plugin-sdk';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  signature: 'Signatur',
  signatureHelp:
    'Standard Webhooks: die Header webhook-id, webhook-timestamp und webhook-signature dieser Spezifikation.',
};
