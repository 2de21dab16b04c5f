import { Joi } from '@mortise/plugin-sdk';

export interface OutboundSettings {
  ALLOWED_HOST_LIST: string;
}

/** The key of `[security]` that bounds requests to addresses that users name (GEN-14). */
export const outboundSettings = Joi.object<OutboundSettings, true>({
  ALLOWED_HOST_LIST: Joi.string()
    .allow('')
    .default('external')
    .description(
      'Where requests may go: loopback, private, external, *, networks (10.0.0.0/8) and host names with wildcards',
    ),
});
