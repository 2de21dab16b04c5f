import { Joi } from '@mortise/plugin-sdk';

const signingAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

export interface OAuth2Settings {
  ENABLED: boolean;
  ACCESS_TOKEN_EXPIRATION_TIME: number;
  REFRESH_TOKEN_EXPIRATION_TIME: number;
  INVALIDATE_REFRESH_TOKENS: boolean;
  JWT_SIGNING_ALGORITHM: (typeof signingAlgorithms)[number];
  JWT_CLAIM_ISSUER: string;
  DEFAULT_APPLICATIONS: string;
  CUSTOM_SCHEMES: string;
}

/** `[oauth2]` */
export const oauth2Settings = Joi.object<OAuth2Settings, true>({
  ENABLED: Joi.boolean().default(true).description('Other programs can act for people here by OAuth 2.0.'),
  ACCESS_TOKEN_EXPIRATION_TIME: Joi.number()
    .integer()
    .min(1)
    .max(86_400 * 30)
    .default(3600)
    .description('Seconds for which an access token is valid.'),
  REFRESH_TOKEN_EXPIRATION_TIME: Joi.number()
    .integer()
    .min(1)
    .max(24 * 3660)
    .default(730)
    .description('Hours for which a refresh token is valid.'),
  INVALIDATE_REFRESH_TOKENS: Joi.boolean()
    .default(false)
    .description('A refresh token can be used only once. For applications without a secret this is always so.'),
  JWT_SIGNING_ALGORITHM: Joi.string()
    .valid(...signingAlgorithms)
    .default('RS256')
    .description('How ID tokens are signed. The key is made once and kept sealed in the database.')
    .meta({ compatible: [{ from: /^HS(256|384|512)$/i, to: 'RS256' }] }),
  JWT_CLAIM_ISSUER: Joi.string().allow('').default('').description('Issuer of ID tokens; empty: ROOT_URL.'),
  DEFAULT_APPLICATIONS: Joi.string()
    .allow('')
    .default('git-credential-oauth, git-credential-manager, tea')
    .description('Programs that need not be registered: git-credential-oauth, git-credential-manager, tea.'),
  CUSTOM_SCHEMES: Joi.string()
    .allow('')
    .default('')
    .description('Schemes of redirect addresses beside http and https, separated by commas, such as org.example.app.'),
});
