import { Joi } from '@mortise/plugin-sdk';
import { groupTeamMapText } from '@mortise/organizations/api';
import { fillPattern, hasPlaceholder } from './escape.js';
import { ldapts } from './library.js';

type Security = 'unencrypted' | 'ldaps' | 'starttls';

/** What a source is set to. */
export interface DirectorySettings {
  readonly host: string;
  readonly port: number;
  readonly security: Security;
  readonly skipTlsVerify: boolean;
  /** `ldap`: who searches; empty: nobody, the directory is read without a name. */
  readonly bindDn: string;
  readonly bindPassword: string;
  /** `ldap-simple`: the name of a person's entry, with `%s` for what they typed. */
  readonly userDn: string;
  readonly userBase: string;
  /** With `%s` or `%[1]s` for the name. */
  readonly userFilter: string;
  readonly adminFilter: string;
  /** `*`: everybody. */
  readonly restrictedFilter: string;
  /** An empty answer deactivates everybody, instead of being taken for a mistake. */
  readonly allowDeactivateAll: boolean;
  readonly usernameAttribute: string;
  readonly firstNameAttribute: string;
  readonly surnameAttribute: string;
  readonly emailAttribute: string;
  readonly sshKeyAttribute: string;
  readonly avatarAttribute: string;
  /** Attributes are read as the person, not as who searches. */
  readonly attributesInBind: boolean;
  /** Entries of one answer; 0: all at once. */
  readonly pageSize: number;
  readonly groupsEnabled: boolean;
  readonly groupBase: string;
  readonly groupFilter: string;
  readonly groupMemberAttribute: string;
  /** `dn`, or the attribute of the person that groups name. */
  readonly groupUserAttribute: string;
  /** JSON: name of the group → organization → teams. */
  readonly groupTeamMap: string;
  readonly groupTeamMapRemoval: boolean;
}

const text = (max = 1024) => Joi.string().allow('').trim().max(max).default('');
const flag = Joi.boolean().default(false);
const attribute = (preset = '') =>
  Joi.string()
    .allow('')
    .trim()
    .max(100)
    .pattern(/^[A-Za-z][\w.;-]*$|^\d+(?:\.\d+)+$/)
    .default(preset);

/** A filter that the directory will understand; where everybody can be meant, also `*`. */
const filter = ({ isUser = false, takesAll = false } = {}) =>
  text(4096).custom((value: string, helpers) => {
    if (value === '' || (takesAll && value === '*')) return value;
    if (isUser && !hasPlaceholder(value)) return helpers.error('any.invalid');
    try {
      ldapts().FilterParser.parseString(fillPattern(value, 'x'));
    } catch {
      return helpers.error('any.invalid');
    }
    return value;
  });

const common = {
  host: Joi.string()
    .trim()
    .max(253)
    .pattern(/^[\w.:-]+$/)
    .required(),
  port: Joi.number().integer().min(1).max(65_535).default(389),
  security: Joi.string().valid('unencrypted', 'ldaps', 'starttls').default('unencrypted'),
  skipTlsVerify: flag,
  adminFilter: filter(),
  restrictedFilter: filter({ takesAll: true }),
  usernameAttribute: attribute('uid').invalid(''),
  firstNameAttribute: attribute(),
  surnameAttribute: attribute(),
  emailAttribute: attribute('mail').invalid(''),
  sshKeyAttribute: attribute(),
  avatarAttribute: attribute(),
  groupsEnabled: flag,
  groupBase: text(),
  groupFilter: filter({ takesAll: true }),
  groupMemberAttribute: attribute('member'),
  groupUserAttribute: attribute('dn'),
  groupTeamMap: groupTeamMapText,
  groupTeamMapRemoval: flag,
};

/** Kind `ldap`: somebody who may search finds the entry, then the person's password is tried with it. */
export const bindDnSchema = Joi.object<DirectorySettings>({
  ...common,
  bindDn: text(),
  // a name without a password would be taken for nobody, and let everybody in
  bindPassword: Joi.string()
    .max(1024)
    .when('bindDn', {
      is: Joi.string().min(1).required(),
      then: Joi.required(),
      otherwise: Joi.allow('').default(''),
    }),
  userDn: Joi.any().strip(),
  userBase: text().invalid('').required(),
  userFilter: filter({ isUser: true }).invalid('').required(),
  allowDeactivateAll: flag,
  attributesInBind: flag,
  pageSize: Joi.number().integer().min(0).max(10_000).default(500),
});

/** Kind `ldap-simple`: the name of the entry follows from what was typed. */
export const simpleSchema = Joi.object<DirectorySettings>({
  ...common,
  userDn: text()
    .invalid('')
    .required()
    .custom((value: string, helpers) => (hasPlaceholder(value) ? value : helpers.error('any.invalid'))),
  userBase: text(),
  userFilter: filter({ isUser: true }).invalid('').required(),
});
