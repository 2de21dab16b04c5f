import { defineJob } from '@mortise/plugin-sdk';

/** Orders a certificate where there is none, or the one that there is ends soon. */
export const renewCertificate = defineJob<Record<string, never>>('acme.renew');
