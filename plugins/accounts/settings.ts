import { durationSetting, Joi, pageSizeSetting, splitList } from '@mortise/plugin-sdk';
import type { Visibility } from './contract/account.js';
import { accountFeatureNames } from './contract/features.js';

export interface ServiceSettings {
  NO_REPLY_ADDRESS: string;
  ACTIVE_CODE_LIVE_MINUTES: number;
  DEFAULT_KEEP_EMAIL_PRIVATE: boolean;
  DEFAULT_ALLOW_CREATE_ORGANIZATION: boolean;
  DEFAULT_USER_VISIBILITY: Visibility;
  ALLOWED_USER_VISIBILITY_MODES: readonly Visibility[];
  DEFAULT_USER_IS_RESTRICTED: boolean;
}

interface ProfileServiceSettings {
  USER_LOCATION_MAP_URL: string;
}

/** `[service]`, the part about profiles. */
export const profileServiceSettings = Joi.object<ProfileServiceSettings, true>({
  USER_LOCATION_MAP_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .allow('')
    .default('')
    .description(
      'Address to which profiles link from the location, which is put behind it, such as https://www.openstreetmap.org/search?query=; empty: no link.',
    ),
});

interface ProfilePageSettings {
  SHOW_USER_EMAIL: boolean;
}

/** `[ui]`, the part about profiles. */
export const profilePageSettings = Joi.object<ProfilePageSettings, true>({
  SHOW_USER_EMAIL: Joi.boolean()
    .default(true)
    .description('Profiles show the address of who does not hide it to people who are signed in.'),
});

interface ExplorePageSettings {
  EXPLORE_PAGING_NUM: number;
}

/** `[ui]`, the part about the pages below /explore. */
export const explorePageSettings = Joi.object<ExplorePageSettings, true>({
  EXPLORE_PAGING_NUM: pageSizeSetting(30).description(
    'Repositories, people or organizations on one page below /explore; compatible servers have 20.',
  ),
});

const wordsOf = (text: string) => text.split(',').map((word) => word.trim().toLowerCase());

const visibilities = ['public', 'limited', 'private'] as const;

/** `[service]`, the part about accounts. */
export const serviceSettings = Joi.object<ServiceSettings>({
  NO_REPLY_ADDRESS: Joi.string()
    .allow('')
    .default('')
    .description('Host of the addresses shown for people who hide theirs; empty: noreply. and the host of ROOT_URL.'),
  ACTIVE_CODE_LIVE_MINUTES: Joi.number()
    .integer()
    .min(1)
    .max(525_600)
    .default(180)
    .description('Minutes for which the links in mails that confirm an account or an address are good.'),
  DEFAULT_KEEP_EMAIL_PRIVATE: Joi.boolean().default(false).description('New accounts hide their address.'),
  DEFAULT_ALLOW_CREATE_ORGANIZATION: Joi.boolean().default(true).description('New accounts may make organizations.'),
  DEFAULT_USER_VISIBILITY: Joi.string()
    .valid(...visibilities)
    .default('public')
    .description(
      'Who sees a new account: everybody, who is signed in, or nobody. The first of ALLOWED_USER_VISIBILITY_MODES where those leave it out.',
    ),
  ALLOWED_USER_VISIBILITY_MODES: Joi.any()
    .custom((value: string, helpers) => {
      const given = splitList(value.toLowerCase());
      const left = given.filter((word) => !visibilities.some((one) => one === word));
      if (left.length > 0) helpers.warn('service.visibility', { left: left.join(', ') });
      const allowed = [...new Set(given)].flatMap((word) => visibilities.filter((one) => one === word));
      return allowed.length > 0 ? allowed : visibilities;
    })
    .messages({ 'service.visibility': 'names {{#left}}, passed over: there are public, limited and private' })
    .default(visibilities)
    .description('Visibilities that accounts of people may be given, separated by commas.')
    .meta({ default: visibilities.join(','), type: 'text' }),
  DEFAULT_USER_IS_RESTRICTED: Joi.boolean()
    .default(false)
    .description('New accounts see only what was expressly given to them.'),
});

export interface ExploreSettings {
  REQUIRE_SIGNIN_VIEW: boolean;
  DISABLE_USERS_PAGE: boolean;
}

/** `[service.explore]`, but for what other plugins show there. */
export const exploreSettings = Joi.object<ExploreSettings, true>({
  REQUIRE_SIGNIN_VIEW: Joi.boolean()
    .default(false)
    .description('Only people who are signed in see the pages below /explore, and search users by the API.'),
  DISABLE_USERS_PAGE: Joi.boolean()
    .default(false)
    .description('There is no list of users below /explore, and no search of users by the API.'),
});

/** Themes of pages. */
const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** The theme that compatible servers have under a name. */
const themeNamed = (name: string): Theme | undefined =>
  name === 'arc-green' ? 'dark' : themes.find((theme) => theme === name.replace(/^(?:gitea|forgejo)-/, ''));

interface ThemeSettings {
  THEMES: readonly Theme[];
}

/** The keys of `[ui]` that are about accounts. */
export const themeSettings = Joi.object<ThemeSettings>({
  THEMES: Joi.any()
    .custom((value: string, helpers) => {
      const given = splitList(value.toLowerCase());
      const left = given.filter((name) => !themeNamed(name));
      if (left.length > 0) helpers.warn('ui.theme', { left: left.join(', ') });
      const offered = themes.filter((theme) => given.some((name) => themeNamed(name) === theme));
      return offered.length > 0 ? offered : themes;
    })
    .messages({ 'ui.theme': 'names {{#left}}, passed over: there are auto, light and dark' })
    .default(themes)
    .description('Themes that accounts may choose, separated by commas; without a choice DEFAULT_THEME holds.')
    .meta({ default: themes.join(','), type: 'text' }),
});

/** Kinds of characters that a new password may be asked to have, with the pattern of one. */
export const characterKinds = {
  lower: /\p{Ll}/u,
  upper: /\p{Lu}/u,
  digit: /\p{Nd}/u,
  spec: /[^\p{L}\p{N}]/u,
} as const;
export type CharacterKind = keyof typeof characterKinds;

/** What `PASSWORD_COMPLEXITY` asks for. */
export function askedKinds(complexity: string): readonly CharacterKind[] {
  const words = wordsOf(complexity);
  return words.includes('off') ? [] : [...new Set(words as CharacterKind[])];
}

/** What hashing a password takes; what is left out is as the library has it. */
export interface HashCosts {
  /** Passes over the memory. */
  readonly timeCost?: number;
  /** KiB. */
  readonly memoryCost?: number;
  /** Threads that share the work. */
  readonly parallelism?: number;
  /** Bytes of the hash. */
  readonly outputLen?: number;
}

/** `argon2$<passes>$<KiB>$<threads>$<bytes>`, as compatible servers write it. */
const argon2Costs = /^argon2\$(\d{1,4})\$(\d{1,7})\$(\d{1,3})\$(\d{1,3})$/;

/** KiB times passes: some seconds. */
const maxWork = 2 << 20;

/** The costs that `PASSWORD_HASH_ALGO` names; undefined: not one that is known. */
export function hashCosts(algorithm: string): HashCosts | undefined {
  if (algorithm === 'argon2') return {};
  const costs = argon2Costs.exec(algorithm)?.slice(1).map(Number);
  if (!costs) return undefined;
  const [timeCost, memoryCost, parallelism, outputLen] = costs as [number, number, number, number];
  // RFC 9106, section 3.1; the work of one check is bounded, and the hash has to fit its column
  const isSound =
    timeCost >= 1 &&
    parallelism >= 1 &&
    memoryCost >= 8 * parallelism &&
    timeCost * memoryCost <= maxWork &&
    outputLen >= 16 &&
    outputLen <= 64;
  return isSound ? { timeCost, memoryCost, parallelism, outputLen } : undefined;
}

interface PasswordSettings {
  MIN_PASSWORD_LENGTH: number;
  PASSWORD_HASH_ALGO: string;
  PASSWORD_COMPLEXITY: string;
  SUCCESSFUL_TOKENS_CACHE_SIZE: number;
}

/** `[security]`, the part about passwords. */
export const passwordSettings = Joi.object<PasswordSettings, true>({
  MIN_PASSWORD_LENGTH: Joi.number()
    .integer()
    .min(1)
    .max(100)
    .default(8)
    .description('Shortest password in characters.'),
  PASSWORD_HASH_ALGO: Joi.string()
    .default('argon2')
    .custom((text: string) => {
      if (!hashCosts(text)) throw new Error('knows argon2 and argon2$<passes>$<KiB>$<threads>$<bytes>');
      return text;
    })
    .description(
      'How new passwords are hashed: argon2 (argon2id with 2 passes over 19 MiB), or with other costs argon2$<passes>$<KiB>$<threads>$<bytes>.',
    )
    .meta({ compatible: [{ from: /^(pbkdf2|bcrypt|scrypt|argon2|dummy)/i, to: 'argon2' }] }),
  PASSWORD_COMPLEXITY: Joi.string()
    .default('off')
    .custom((text: string) => {
      if (!wordsOf(text).every((word) => word === 'off' || Object.hasOwn(characterKinds, word)))
        throw new Error('knows lower, upper, digit, spec and off');
      return text;
    })
    .description('Kinds of characters that a new password must have: lower, upper, digit, spec, by commas; off: any.')
    .meta({ compatible: [{ from: /./, to: 'lower,upper,digit,spec' }] }),
  SUCCESSFUL_TOKENS_CACHE_SIZE: Joi.number()
    .integer()
    .min(0)
    .default(1000)
    .description('How many passwords just checked are remembered for a minute, so that a client need not wait again.'),
});

export interface SignInSettings {
  FAILED_LOGIN_LIMIT: number;
  FAILED_LOGIN_ADDRESS_LIMIT: number;
  FAILED_LOGIN_WINDOW: number;
}

/** `[security]`, the part about guessing passwords. */
export const signInSettings = Joi.object<SignInSettings, true>({
  FAILED_LOGIN_LIMIT: Joi.number()
    .integer()
    .min(0)
    .default(10)
    .description(
      'Wrong passwords for one name from one address (IPv6: one /64) after which further ones are refused with 429; the same one again counts once; 0: no limit.',
    ),
  FAILED_LOGIN_ADDRESS_LIMIT: Joi.number()
    .integer()
    .min(0)
    .default(100)
    .description('The same for one address whatever the names; this computer itself is not limited; 0: no limit.'),
  FAILED_LOGIN_WINDOW: Joi.number()
    .integer()
    .min(1)
    .max(86_400)
    .default(300)
    .description('Seconds after which failures are forgotten, and passwords checked again.'),
});

interface PictureSettings {
  AVATAR_MAX_FILE_SIZE: number;
  AVATAR_MAX_WIDTH: number;
  AVATAR_MAX_HEIGHT: number;
}

export const pictureSettings = Joi.object<PictureSettings, true>({
  AVATAR_MAX_FILE_SIZE: Joi.number()
    .integer()
    .min(0)
    .default(1048576)
    .description('Largest picture of an account, bytes.'),
  AVATAR_MAX_WIDTH: Joi.number().integer().min(1).default(4096).description('Widest picture, pixels.'),
  AVATAR_MAX_HEIGHT: Joi.number().integer().min(1).default(4096).description('Highest picture, pixels.'),
});

interface KeySettings {
  MINIMUM_RSA_BITS: number;
}

export const keySettings = Joi.object<KeySettings, true>({
  MINIMUM_RSA_BITS: Joi.number().integer().default(3071).description('Shortest RSA key that is accepted, in bits.'),
});

interface ExternalUserSettings {
  ENABLED: boolean;
  UPDATE_EXISTING: boolean;
}

/** `[cron.sync_external_users]`. */
export const externalUserSettings = Joi.object<ExternalUserSettings, true>({
  ENABLED: Joi.boolean()
    .default(true)
    .description('Regularly take over the people of authentication sources that are synchronized.'),
  UPDATE_EXISTING: Joi.boolean()
    .default(true)
    .description(
      'Accounts that exist are changed as the source says, and deactivated when it does not know them any more; false: only new accounts are made.',
    ),
});

interface InactiveAccountSettings {
  readonly ENABLED: boolean;
  readonly OLDER_THAN: number;
}

/** `[cron.delete_inactive_accounts]`, beside its times. */
export const inactiveAccountSettings = Joi.object<InactiveAccountSettings, true>({
  ENABLED: Joi.boolean()
    .default(false)
    .description('Delete accounts that were never activated, but for those that own something.'),
  OLDER_THAN: durationSetting('168h').description('Age at which such an account is deleted.'),
});

export interface FeatureSettings {
  USER_DISABLED_FEATURES: string;
  EXTERNAL_USER_DISABLE_FEATURES: string;
}

/** Names of features, by commas. */
export const featuresIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');

const featureList = (description: string) =>
  Joi.string()
    .allow('')
    .default('')
    .custom((text: string) => {
      const names: readonly string[] = accountFeatureNames;
      if (!featuresIn(text).every((word) => names.includes(word))) throw new Error(`knows ${names.join(', ')}`);
      return text;
    })
    .description(`${description}, by commas: ${accountFeatureNames.join(', ')}.`);

/** `[admin]`, what people may not do with their own accounts. */
export const featureSettings = Joi.object<FeatureSettings, true>({
  USER_DISABLED_FEATURES: featureList('What nobody may do with their own account'),
  EXTERNAL_USER_DISABLE_FEATURES: featureList(
    'What those may not do whose account belongs to an authentication source',
  ),
});
