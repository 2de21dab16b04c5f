import type { VNode } from 'preact';
import {
  defineJob,
  definePoint,
  defineService,
  type FieldNames,
  type Joi,
  type Keyed,
  type Text,
} from '@mortise/plugin-sdk';
import type { Account } from './account.js';

/** One row of `login_source`: a directory or provider that knows people, with its settings (secrets opened). */
export interface LoginSource<S = Readonly<Record<string, unknown>>> {
  /** `source_id` of the accounts that it knows. */
  readonly id: number;
  /** Key of its {@link LoginSourceKind}. */
  readonly kind: string;
  readonly name: string;
  readonly isActive: boolean;
  /** Its people are taken over regularly, not only when they sign in. */
  readonly isSyncEnabled: boolean;
  /** It asks for a second factor itself: none is asked for here. */
  readonly skipsSecondFactor: boolean;
  readonly settings: S;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewLoginSource = Pick<LoginSource, 'kind' | 'name' | 'settings'> &
  Partial<Pick<LoginSource, 'isActive' | 'isSyncEnabled' | 'skipsSecondFactor'>>;
export type LoginSourceChanges = Partial<Omit<NewLoginSource, 'kind'>>;

/** A person as a login source knows them. What is absent stays as the account has it. */
export interface ExternalUser {
  /** Their name or id there; stays the same when they are renamed. At most 255 characters. */
  readonly loginName: string;
  /** Wished name of a new account. */
  readonly name: string;
  /** The source vouches for it; empty: it knows none, and a new account gets a placeholder that receives no mail. */
  readonly email: string;
  readonly fullName?: string;
  readonly isAdmin?: boolean;
  readonly isRestricted?: boolean;
  /** Of a new account: false leaves it to an administrator to activate it. Default true. */
  readonly isActive?: boolean;
  /** Of a new account; a tag such as `de-DE`. */
  readonly language?: string;
  /** Names of the groups that they are in there. */
  readonly groups?: readonly string[];
  /** Their SSH keys, as lines of `authorized_keys`. */
  readonly publicKeys?: readonly string[];
}

/** A source of a server that is taken over (`mortise takeover`). */
export interface ForeignLoginSource {
  /** Its number there: 2 LDAP by a name that searches, 5 LDAP by the name of the entry, 6 OAuth 2.0. */
  readonly type: number;
  /** As it is stored there, with the names of there. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Decrypts a secret of there; undefined where the key is another one. */
  decrypt(encrypted: string): string | undefined;
}

/** Extension point: a kind of login source, such as `ldap`. */
export interface LoginSourceKind<S = Readonly<Record<string, unknown>>> extends Keyed {
  readonly label: Text;
  /** Settings of a source with their defaults; checked whenever one is stored. */
  readonly schema: Joi.ObjectSchema<S>;
  /** Names of those settings that are kept sealed and never shown; left empty in the form, they stay. */
  readonly secrets?: readonly string[];
  /** Names of those settings that say whose the login names are: they stay while accounts are known by them. */
  readonly lasting?: readonly string[];
  /** Are there accounts that people of the source come in to, besides those that belong to it, such as by links? */
  isUsed?(source: LoginSource<S>): Promise<boolean>;
  /** What the form calls its settings, by `settings.NAME`; refusals name them so. */
  readonly names?: FieldNames;
  /**
   * Sources of passwords: the person when the password is right, undefined when name or password is wrong. Throws when it
   * cannot be told, for instance because the directory does not answer. `name` is what was typed, or the account's
   * `loginName`.
   */
  checkPassword?(source: LoginSource<S>, name: string, password: string): Promise<ExternalUser | undefined>;
  /**
   * All people of the source, some at a time, for the regular synchronization; ends early when `signal` is aborted. Throws
   * when they cannot be told completely: then nobody is deactivated.
   */
  users?(source: LoginSource<S>, signal: AbortSignal): AsyncIterable<readonly ExternalUser[]>;
  /** Tries the settings for administrators: throws what does not work. */
  tryConnection?(source: LoginSource<S>): Promise<void>;
  /** SSH keys of its people come from the source alone: adding and deleting by hand is refused. */
  managesPublicKeys?(source: LoginSource<S>): boolean;
  /** The person has signed in, or been synchronized, as this account: for groups, keys, pictures. */
  provisioned?(source: LoginSource<S>, account: Account, externalUser: ExternalUser): Promise<void>;
  /** Settings for a source of another server; the schema checks them. Undefined: it is of another kind. */
  takenSettings?(source: ForeignLoginSource): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Fields of its settings in the form for administrators, named `settings.NAME`. */
  fields(props: { readonly settings: Readonly<Record<string, unknown>>; readonly isNew: boolean }): VNode;
}
export const loginSourceKinds = definePoint.keyed<LoginSourceKind>('accounts.loginSourceKinds');

/** Checks the types of a kind of login sources where it is written. */
export const defineLoginSourceKind = <S>(kind: LoginSourceKind<S>): LoginSourceKind =>
  kind as unknown as LoginSourceKind;

export interface LoginSources {
  /** In the order of their names. */
  list(filter?: { readonly kind?: string; readonly isActive?: boolean }): Promise<readonly LoginSource[]>;
  byId(id: number): Promise<LoginSource | undefined>;
  /** Throws Invalid for a name in use, an unknown kind and settings that its schema refuses (at the fields). */
  create(source: NewLoginSource): Promise<LoginSource>;
  /** The same; also Invalid for a setting that has to last ({@link LoginSourceKind.lasting}) of a source in use. */
  update(id: number, changes: LoginSourceChanges): Promise<LoginSource>;
  /** Throws Invalid while accounts belong to it. */
  delete(id: number): Promise<void>;
  /**
   * The account of a person of the source: known by source and login name, otherwise made. What the source says of the
   * person is taken over. Forbidden where the wished name or address is somebody else's: that it is the same person,
   * nobody has shown.
   */
  provision(source: LoginSource, externalUser: ExternalUser): Promise<Account>;
  /**
   * The same for a person whose account is known in another way, such as by a link that its owner made: what the source
   * says of them is taken over.
   */
  refresh(source: LoginSource, account: Account, externalUser: ExternalUser): Promise<Account>;
  /** The account that belongs to a person of the source. Login names are compared as the source spells them. */
  accountOf(source: LoginSource, loginName: string): Promise<Account | undefined>;
}
export const loginSources = defineService<LoginSources>('accounts.loginSources');

/** Takes over the people of all sources that are synchronized; `[cron.sync_external_users]`. */
export const syncExternalUsers = defineJob<Record<string, never>>('accounts.syncExternalUsers');
