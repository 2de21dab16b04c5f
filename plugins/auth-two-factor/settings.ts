import { Joi } from '@mortise/plugin-sdk';

interface PasskeySettings {
  ENABLE_PASSKEY_AUTHENTICATION: boolean;
}

/** `[service]`, the part about passkeys. */
export const passkeySettings = Joi.object<PasskeySettings, true>({
  ENABLE_PASSKEY_AUTHENTICATION: Joi.boolean().default(true).description('People may sign in with a passkey alone.'),
});

interface EnforcementSettings {
  TWO_FACTOR_AUTH: '' | 'enforced';
}

/** `[security]`, the part about second factors (TFA-02). */
export const enforcementSettings = Joi.object<EnforcementSettings, true>({
  TWO_FACTOR_AUTH: Joi.string()
    .valid('', 'enforced')
    .default('')
    .description('"enforced": repositories are closed to people without a second factor. Empty: everybody decides.'),
});
