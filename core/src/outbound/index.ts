import type { Logger, Outbound } from '@mortise/plugin-sdk';
import type { OutboundSettings } from './settings.js';

export { outboundSettings, type OutboundSettings } from './settings.js';

export function createOutbound(_services: { settings: Readonly<OutboundSettings>; log: Logger; userAgent?: string }): Outbound {
  throw new Error('not built yet');
}
