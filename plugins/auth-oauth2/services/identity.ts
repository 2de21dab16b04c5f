import { externalAccountName, isEmailAddress, type ExternalUser } from '@mortise/accounts/api';
import type { UsernameSource } from '../settings.js';
import type { Claims } from './providers.js';
import type { OAuth2Settings } from './source-settings.js';

/** Somebody as a provider knows them. */
export interface Identity {
  /** Never changes and is never given to somebody else there (OpenID Connect Core 1.0, 2). At most 255 characters. */
  readonly subject: string;
  /** Wished name of a new account; empty where the provider tells none. */
  readonly name: string;
  /** Empty: the provider tells none. */
  readonly email: string;
  /** The provider says that the address is theirs. */
  readonly isEmailVerified: boolean;
  readonly fullName: string;
  /** Address of the picture; empty: none. */
  readonly picture: string;
  /** Taken over at each sign-in. */
  readonly said: Pick<ExternalUser, 'fullName' | 'isAdmin' | 'isRestricted' | 'groups' | 'publicKeys'>;
}

const maxText = 255;
/** A list that reaches beyond it is taken for incomplete. */
const maxGroups = 2000;
const maxKeys = 100;

const textOf = (value: unknown, max = maxText): string =>
  typeof value === 'string' ? [...value.trim()].slice(0, max).join('') : '';

/** A claim of several values: a list, or words by commas. */
function valuesOf(claim: unknown): readonly string[] {
  if (Array.isArray(claim)) return claim.filter((one) => ['string', 'number'].includes(typeof one)).map(String);
  return typeof claim === 'string'
    ? claim
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean)
    : typeof claim === 'number' || typeof claim === 'boolean'
      ? [String(claim)]
      : [];
}

/** The claim that the setting names, as the name of an account; empty where it cannot be one. */
function nameOf(claims: Claims, subject: string, from: UsernameSource): string {
  const preferred = textOf(claims.preferred_username);
  const claim = {
    userid: subject,
    nickname: textOf(claims.nickname) || preferred,
    preferred_username: preferred,
    email: textOf(claims.email),
  }[from];
  return externalAccountName(claim) ?? '';
}

/** Undefined: the provider does not tell all of them. */
function groupsOf(claims: Claims, { groupClaimName: name }: OAuth2Settings): readonly string[] | undefined {
  const claim = name !== '' && Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (claim === undefined || claim === null) return undefined;
  const groups = valuesOf(claim);
  return groups.length > maxGroups ? undefined : groups;
}

/** Undefined: the provider does not say who it is. */
export function identityOf(claims: Claims, settings: OAuth2Settings, from: UsernameSource): Identity | undefined {
  const subject = claims.sub;
  if (typeof subject !== 'string' || subject === '' || subject.length > maxText) return undefined;
  const email = textOf(claims.email, 254);
  const isAddress = isEmailAddress(email);
  const groups = groupsOf(claims, settings);
  const fullName = settings.fullNameClaimName && textOf(claims[settings.fullNameClaimName], 100);
  const keys = settings.sshPublicKeyClaimName && claims[settings.sshPublicKeyClaimName];
  return {
    subject,
    name: nameOf(claims, subject, from),
    email: isAddress ? email : '',
    isEmailVerified: isAddress && (claims.email_verified === true || claims.email_verified === 'true'),
    fullName: fullName || textOf(claims.name, 100),
    picture: textOf(claims.picture, 2048),
    said: {
      ...(fullName && { fullName }),
      ...(groups && {
        groups,
        ...(settings.adminGroup && { isAdmin: groups.includes(settings.adminGroup) }),
        ...(settings.restrictedGroup && { isRestricted: groups.includes(settings.restrictedGroup) }),
      }),
      ...(settings.sshPublicKeyClaimName && {
        publicKeys: (Array.isArray(keys) ? keys : [keys])
          .filter((key): key is string => typeof key === 'string' && key.trim() !== '' && key.length <= 16_384)
          .slice(0, maxKeys),
      }),
    },
  };
}

/** Has the person the claim that the source requires? */
export function hasRequiredClaim(
  claims: Claims,
  { requiredClaimName: name, requiredClaimValue: value, groupClaimName }: OAuth2Settings,
): boolean {
  if (name === '') return true;
  const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (claim === undefined || claim === null || claim === false) return false;
  if (value === '') return true;
  // groups may be words by commas; in other texts, such as names that people choose, a comma says nothing
  return (typeof claim === 'string' && name !== groupClaimName ? [claim] : valuesOf(claim)).includes(value);
}
