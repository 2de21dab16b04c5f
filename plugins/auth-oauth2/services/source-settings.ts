import { Joi } from '@mortise/plugin-sdk';
import { groupTeamMapText } from '@mortise/organizations/api';
import { providerKeys, type ProviderKey } from './providers.js';

/** What a source is set to. */
export interface OAuth2Settings {
  readonly provider: ProviderKey;
  readonly clientId: string;
  /** Empty: a public client, which proves itself by PKCE alone. */
  readonly clientSecret: string;
  /** `openidConnect`: issuer, or address of its `/.well-known/openid-configuration`. */
  readonly discoveryUrl: string;
  /** `azureadv2`: the directory of the organization. */
  readonly tenant: string;
  readonly useCustomUrls: boolean;
  readonly authUrl: string;
  readonly tokenUrl: string;
  readonly profileUrl: string;
  readonly emailUrl: string;
  /** By spaces or commas; empty: what the provider needs. */
  readonly scopes: string;
  readonly iconUrl: string;
  /** Only people with this claim may sign in. */
  readonly requiredClaimName: string;
  readonly requiredClaimValue: string;
  readonly groupClaimName: string;
  readonly adminGroup: string;
  readonly restrictedGroup: string;
  /** JSON: name of the group → organization → teams. */
  readonly groupTeamMap: string;
  readonly groupTeamMapRemoval: boolean;
  readonly fullNameClaimName: string;
  readonly sshPublicKeyClaimName: string;
}

/** As a source holds them. */
export type StoredSettings = OAuth2Settings & Readonly<Record<string, unknown>>;

const text = (max = 255) => Joi.string().allow('').trim().max(max).default('');
const flag = Joi.boolean().default(false);
const address = () =>
  Joi.string()
    .allow('')
    .trim()
    .max(2048)
    .uri({ scheme: ['https', 'http'] })
    .default('');

/** Words by spaces or commas, each once. */
export const listItems = (list: string): readonly string[] => [...new Set(list.split(/[\s,]+/).filter(Boolean))];

export const oauth2Schema = Joi.object<StoredSettings>({
  provider: Joi.string()
    .valid(...providerKeys)
    .default('openidConnect'),
  clientId: text().invalid('').required(),
  clientSecret: Joi.string().allow('').max(4096).default(''),
  discoveryUrl: address().when('provider', { is: 'openidConnect', then: Joi.invalid('').required() }),
  tenant: text(100)
    .pattern(/^[\w.-]+$/)
    .when('provider', {
      is: 'azureadv2',
      // several directories at once would let the administrator of any of them name whom they like
      then: Joi.invalid('', 'common', 'organizations', 'consumers').required(),
    }),
  useCustomUrls: flag,
  authUrl: address(),
  tokenUrl: address(),
  profileUrl: address(),
  emailUrl: address(),
  scopes: text(1024).pattern(/^[\x21-\x7e\s]*$/),
  iconUrl: address(),
  requiredClaimName: text(),
  requiredClaimValue: text(),
  groupClaimName: text(),
  adminGroup: text(),
  restrictedGroup: text(),
  groupTeamMap: groupTeamMapText,
  groupTeamMapRemoval: flag,
  fullNameClaimName: text(),
  sshPublicKeyClaimName: text(),
});
