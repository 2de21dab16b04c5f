import { Joi } from '@mortise/plugin-sdk';

interface TokenSettings {
  DISABLE_QUERY_AUTH_TOKEN: boolean;
}

/** `[security]`, the part about tokens (TOK-09). */
export const tokenSettings = Joi.object<TokenSettings, true>({
  DISABLE_QUERY_AUTH_TOKEN: Joi.boolean()
    .default(false)
    .description('Tokens in the query values token and access_token are not used.'),
});
