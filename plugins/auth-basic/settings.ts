import { Joi } from '@mortise/plugin-sdk';

interface BasicSettings {
  ENABLE_BASIC_AUTHENTICATION: boolean;
}

/** `[service]`, the part about basic authentication (BAS-01). */
export const basicSettings = Joi.object<BasicSettings, true>({
  ENABLE_BASIC_AUTHENTICATION: Joi.boolean()
    .default(true)
    .description('API, git and registries accept name and password. Tokens in their place work either way.'),
});
