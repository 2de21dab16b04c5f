import { Joi, type Model } from '@mortise/plugin-sdk';
import { externalAccountName, isEmailAddress, type Account } from '@mortise/accounts/api';
import type { ProvisionedUserRow } from '../models/provisioned-user.js';
import { nameMap, toResource, withPlainNames, type Json } from './representation.js';
import { scimProblem } from './scim-problem.js';

/** What a provider says of a user; what is absent it does not say. */
export interface UserInput {
  readonly userName: string;
  readonly externalId?: string;
  readonly displayName?: string;
  readonly name?: { readonly formatted?: string; readonly givenName?: string; readonly familyName?: string };
  readonly emails?: readonly { readonly value: string; readonly type?: string; readonly primary?: boolean }[];
  readonly active?: boolean;
}

const maxFullName = 100;
/** What the column takes: accounts that others made may have more than a provider may set. */
const maxStoredText = 255;

const text = (max: number) => Joi.string().trim().allow('').max(max);

const userInput = Joi.object<UserInput>({
  userName: Joi.string().trim().max(255).required(),
  externalId: text(255),
  displayName: text(maxStoredText),
  name: Joi.object({ formatted: text(maxStoredText), givenName: text(100), familyName: text(100) }),
  emails: Joi.array()
    .items(
      Joi.object({ value: Joi.string().trim().max(maxStoredText).required(), type: text(50), primary: Joi.boolean() }),
    )
    .max(20),
  active: Joi.boolean(),
});

export const userNames = nameMap(
  ...['userName', 'externalId', 'displayName', 'name', 'formatted', 'givenName', 'familyName'],
  ...['emails', 'value', 'type', 'primary', 'active'],
);

/** @throws a problem of the type `invalidValue` or `invalidSyntax` */
export function readUser(given: unknown): UserInput {
  const checked = userInput.validate(withPlainNames(given, userNames), { stripUnknown: true });
  if (checked.error) throw scimProblem('invalidValue', checked.error.message);
  return checked.value as UserInput;
}

/** @throws a problem of the type `invalidValue` */
export function accountNameOf(userName: string): string {
  const name = externalAccountName(userName);
  if (name === undefined) throw scimProblem('invalidValue', `No account can be called "${userName}".`);
  return name;
}

const mainEmail = ({ emails = [] }: UserInput) => emails.findLast(({ primary }) => primary) ?? emails[0];

/**
 * The primary address, or the first; undefined where none is told. What the account has already is not checked again.
 *
 * @throws a problem of the type `invalidValue`
 */
export function emailOf(input: UserInput, account?: Pick<Account, 'email'>): string | undefined {
  const email = mainEmail(input)?.value;
  if (email === undefined) return isEmailAddress(input.userName) ? input.userName : undefined;
  if (email === account?.email) return email;
  if (!isEmailAddress(email)) throw scimProblem('invalidValue', `"${email}" is no email address.`);
  return email;
}

const joined = (...parts: readonly (string | undefined)[]): string =>
  parts.filter(Boolean).join(' ').slice(0, maxFullName);

/**
 * Providers say it in several attributes. What the account has already is not checked again.
 *
 * @throws a problem of the type `invalidValue`
 */
export function fullNameOf({ displayName, name = {} }: UserInput, account?: Pick<Account, 'fullName'>): string {
  const fullName = displayName ?? name.formatted ?? joined(name.givenName, name.familyName);
  if (fullName === account?.fullName.trim()) return account.fullName;
  if (fullName.length > maxFullName)
    throw scimProblem('invalidValue', `A display name has at most ${maxFullName} characters.`);
  return fullName;
}

/** What a provider sets beyond what accounts have. */
export type UserAttributes = Omit<ProvisionedUserRow, keyof Model | 'id' | 'token_id' | 'user_id' | 'is_deleted'>;

/** What is known of an account that no token has changed. */
export const defaultAttributesOf = ({ name, lowerName }: Account): UserAttributes => ({
  user_name: name,
  lower_user_name: lowerName,
  external_id: '',
  given_name: '',
  family_name: '',
  has_display_name: true,
  email_type: 'work',
  is_email_primary: true,
  is_deactivated: false,
});

export function attributesFrom(input: UserInput): Omit<UserAttributes, 'is_deactivated'> {
  const { userName, externalId = '', displayName, name = {} } = input;
  const email = mainEmail(input);
  return {
    user_name: userName,
    lower_user_name: userName.toLowerCase(),
    external_id: externalId,
    given_name: name.givenName ?? '',
    family_name: name.familyName ?? '',
    has_display_name: displayName !== undefined || name.formatted !== undefined,
    email_type: email?.type ?? '',
    is_email_primary: email?.primary ?? null,
  };
}

/** May the person sign in? */
export const isActive = ({ isActive: active, prohibitLogin }: Account): boolean => active && !prohibitLogin;

export function userResource(account: Account, stored: UserAttributes, url: (path: string) => string) {
  const { given_name: givenName, family_name: familyName, email_type: type, is_email_primary: primary } = stored;
  const attributes: Json = {
    externalId: stored.external_id,
    userName: stored.user_name,
    name: givenName || familyName ? { ...(givenName && { givenName }), ...(familyName && { familyName }) } : undefined,
    displayName: stored.has_display_name ? account.fullName : undefined,
    // providers look for the type when they change an address
    emails: account.email
      ? [{ value: account.email, type: type || 'work', ...(primary !== null && { primary }) }]
      : undefined,
    active: isActive(account),
  };
  const { id, createdAt, updatedAt } = account;
  return toResource({ type: 'User', id, createdAt, updatedAt, attributes }, url);
}
