export const en = {
  signature: 'Signature',
  signatureHelp:
    'Standard Webhooks: the headers webhook-id, webhook-timestamp and webhook-signature of that specification.',
} as const;
