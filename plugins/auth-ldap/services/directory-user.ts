import type { Entry } from 'ldapts';
import type { ExternalUser } from '@mortise/accounts/api';
import type { DirectorySettings } from './settings.js';

/** A person of the directory, with what is not part of every account. */
export interface DirectoryUser extends ExternalUser {
  readonly avatar?: Buffer;
}

const maxValue = 65_536;
const maxKeys = 100;

/** Values of an attribute, whatever the case that the directory gives its name in. */
function valuesOf(entry: Entry, attribute: string): readonly (string | Buffer)[] {
  if (attribute === '') return [];
  const wanted = attribute.toLowerCase();
  const name = Object.keys(entry).find((one) => one.toLowerCase() === wanted && one !== 'dn');
  const values = name === undefined ? [] : entry[name];
  return Array.isArray(values) ? values : values === undefined ? [] : [values];
}

const textsOf = (entry: Entry, attribute: string): string[] =>
  valuesOf(entry, attribute)
    .map((value) => value.toString())
    .filter((value) => value.length > 0 && value.length <= maxValue);

export const textOfEntry = (entry: Entry, attribute: string): string => textsOf(entry, attribute)[0]?.trim() ?? '';

/** Attributes that are asked for; all others stay in the directory. */
export const attributesOf = (settings: DirectorySettings): string[] =>
  [
    settings.usernameAttribute,
    settings.firstNameAttribute,
    settings.surnameAttribute,
    settings.emailAttribute,
    settings.sshKeyAttribute,
    settings.avatarAttribute,
    settings.groupsEnabled && settings.groupUserAttribute.toLowerCase() !== 'dn' ? settings.groupUserAttribute : '',
  ].filter((name) => name !== '');

/** Undefined: the entry has no name of its own, or one that is too long. */
export function directoryUserOf(
  settings: DirectorySettings,
  entry: Entry,
  more: Pick<ExternalUser, 'isAdmin' | 'isRestricted' | 'groups'>,
): DirectoryUser | undefined {
  const loginName = textOfEntry(entry, settings.usernameAttribute);
  if (loginName === '' || loginName.length > 255) return undefined;
  const { firstNameAttribute: first, surnameAttribute: last, avatarAttribute, sshKeyAttribute } = settings;
  const fullName = [textOfEntry(entry, first), textOfEntry(entry, last)].filter((part) => part !== '').join(' ');
  const picture = valuesOf(entry, avatarAttribute)[0];
  return {
    loginName,
    name: loginName,
    email: textOfEntry(entry, settings.emailAttribute),
    ...(fullName !== '' && { fullName: [...fullName].slice(0, 100).join('') }),
    ...more,
    ...(sshKeyAttribute !== '' && { publicKeys: textsOf(entry, sshKeyAttribute).slice(0, maxKeys) }),
    ...(Buffer.isBuffer(picture) && picture.length > 0 && { avatar: picture }),
  };
}
