import { externalAccountName, isEmailAddress, type ExternalUser } from '@mortise/accounts/api';
import type { SourceSession } from '@mortise/sessions/api';
import type { SamlSettings } from './source-settings.js';

/** Somebody as a provider knows them. */
export interface Identity extends Pick<ExternalUser, 'fullName' | 'isAdmin' | 'isRestricted' | 'groups'> {
  /** Stays the same there. At most 255 characters. */
  readonly loginName: string;
  /** Wished name of a new account; empty where the provider tells none. */
  readonly name: string;
  /** Empty: the provider tells none. */
  readonly email: string;
  /** As the provider names their session; absent where it does so at too great a length. */
  readonly session?: ProviderSession;
}

/** A session at the provider, as a request to end it names it (SAML core, 3.7.1). */
export type ProviderSession = Omit<SourceSession, 'sourceId'>;

/** Attributes of an assertion by name, each a text or several. */
export type Attributes = Readonly<Record<string, unknown>>;

const maxText = 255;
/** A list that reaches beyond it is taken for incomplete. */
const maxGroups = 2000;

function valuesOf(attributes: Attributes, name: string): readonly string[] {
  const given: unknown = name !== '' && Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  return (Array.isArray(given) ? given : [given])
    .filter((one): one is string => typeof one === 'string')
    .map((one) => one.trim())
    .filter(Boolean);
}

/** Undefined: the provider does not tell all of them. */
function groupsOf(attributes: Attributes, { groupsAttribute }: SamlSettings): readonly string[] | undefined {
  if (groupsAttribute === '' || !Object.hasOwn(attributes, groupsAttribute)) return undefined;
  const groups = valuesOf(attributes, groupsAttribute);
  return groups.length > maxGroups ? undefined : groups;
}

/** Undefined: the provider does not say who it is. */
export function identityOf(nameId: string, attributes: Attributes, settings: SamlSettings): Identity | undefined {
  const textOf = (name: string, max = maxText): string =>
    [...(valuesOf(attributes, name)[0] ?? '')].slice(0, max).join('');
  const known = settings.loginNameAttribute ? valuesOf(attributes, settings.loginNameAttribute) : [nameId.trim()];
  const [loginName = ''] = known;
  // several names, or one that has to be cut, may be those of somebody else
  if (known.length !== 1 || loginName === '' || loginName.length > maxText) return undefined;
  const email = textOf(settings.emailAttribute, 254) || (settings.emailAttribute === '' ? nameId.trim() : '');
  const fullName = textOf(settings.fullNameAttribute, 100);
  const { adminGroup, restrictedGroup } = settings;
  const groups = groupsOf(attributes, settings);
  return {
    loginName,
    name: externalAccountName(settings.usernameAttribute ? textOf(settings.usernameAttribute) : loginName) ?? '',
    email: isEmailAddress(email) ? email : '',
    ...(fullName && { fullName }),
    ...(groups && {
      groups,
      ...(adminGroup && { isAdmin: groups.includes(adminGroup) }),
      ...(restrictedGroup && { isRestricted: groups.includes(restrictedGroup) }),
    }),
  };
}

/** Is the person in the group that the source requires? */
export const isInRequiredGroup = ({ groups = [] }: Identity, { requiredGroup }: SamlSettings): boolean =>
  requiredGroup === '' || groups.includes(requiredGroup);
