import { Invalid } from '@mortise/plugin-sdk';
import type { GitRemotes, RemoteCredentials } from '@mortise/git/api';
import type { MigrationSource } from '../api.js';
import type { SourceField, SourceOptions } from '../contract/source.js';
import { t } from '../texts/index.js';
import type { RepositoryImport } from './import-store.js';

/** Fields that sources know by these names; others of a source are taken as they are. */
export const credentialFields = [
  'auth_username',
  'auth_password',
  'auth_token',
  'aws_access_key_id',
  'aws_secret_access_key',
] as const;

/** Everything but what a source declares as a plain text: the API takes fields that a source may not know. */
export const isSecret = (name: string, fields: readonly SourceField[]): boolean =>
  (credentialFields as readonly string[]).includes(name) ||
  !fields.some((field) => field.name === name && field.type !== 'password');

/** Passwords and tokens are stored apart from the rest, encrypted. Invalid where the source needs one that is missing. */
export function splitValues({ fields }: MigrationSource, values: Readonly<Record<string, string>>) {
  const missing = fields.find(({ name, required }) => required && !values[name]);
  if (missing) {
    const text = t.later('error.required');
    throw Invalid(text, { inputs: { [missing.name]: text } });
  }
  const filled = Object.entries(values).filter(([, value]) => value !== '');
  return {
    values: Object.fromEntries(filled.filter(([name]) => !isSecret(name, fields))),
    secrets: Object.fromEntries(filled.filter(([name]) => isSecret(name, fields))),
  };
}

/** What a source gets: fields of the form, and credentials, which are stored apart. */
export const sourceOptionsOf = (
  { address, options }: Pick<RepositoryImport, 'address' | 'options'>,
  credentials: Readonly<Record<string, string>>,
): SourceOptions => ({
  address,
  values: { ...options.values, ...credentials },
  kinds: new Set(options.kinds),
});

/** How git signs in: with a token any user name does for the compatible services. */
function gitCredentials({ values }: SourceOptions): RemoteCredentials {
  const { auth_username: username = '', auth_password: password = '', auth_token: token = '' } = values;
  if (token) return { username: username || 'oauth2', password: token };
  return username || password ? { username, password } : {};
}

/** Is it at the server that the importer named? Sources give addresses of their own choice. */
export const isAtServerOf = (address: string, url: string): boolean =>
  URL.canParse(address) && URL.canParse(url) && serverOf(new URL(address)) === serverOf(new URL(url));

/** Of http its origin; other protocols have none. */
const serverOf = ({ protocol, host }: URL): string => `${protocol}//${host}`;

/** What signs in at an address: nothing unless it is at the server that the credentials were given for. */
export function credentialsAt(
  remotes: Pick<GitRemotes, 'parse'>,
  options: SourceOptions,
  address: string,
): RemoteCredentials {
  const [named, other] = [remotes.parse(options.address), remotes.parse(address)];
  const isSame = (['protocol', 'host', 'port'] as const).every((part) => named[part] === other[part]);
  return isSame ? gitCredentials(options) : {};
}
