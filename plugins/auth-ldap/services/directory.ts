import type { Client, Entry } from 'ldapts';
import type { Logger } from '@mortise/plugin-sdk';
import type { ExternalUser, LoginSource } from '@mortise/accounts/api';
import { signInLimits, withConnection, type ConnectionLimits } from './connection.js';
import { escapeDn, escapeFilter, fillPattern, plainDn } from './escape.js';
import { ldapts } from './library.js';
import { attributesOf, directoryUserOf, textOfEntry, type DirectoryUser } from './directory-user.js';
import type { DirectorySettings } from './settings.js';

type Source = LoginSource<DirectorySettings>;

const maxNameLength = 255;
const maxGroups = 1000;
/** Of a whole synchronization. */
const syncLimits: ConnectionLimits = { totalMs: 3_600_000, maxBytes: 1024 * 1024 * 1024 };

/** What directories say to a wrong name or password, and of people who may not sign in. */
const refusals = [
  'InvalidCredentialsError',
  'InappropriateAuthError',
  'InsufficientAccessError',
  'NoSuchObjectError',
  'InvalidDNSyntaxError',
  'UnwillingToPerformError',
  'ConstraintViolationError',
] as const;

/** Is it the password of that entry? Without one a directory lets everybody in, as nobody. */
async function isPassword(client: Client, dn: string, password: string): Promise<boolean> {
  if (dn === '' || password === '') return false;
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    const kinds = ldapts();
    if (refusals.some((kind) => error instanceof kinds[kind])) return false;
    throw error;
  }
}

async function bindSearcher(client: Client, { bindDn, bindPassword }: DirectorySettings): Promise<void> {
  if (!bindDn) return;
  if (bindPassword === '') throw new Error('The bind DN has no password.');
  await client.bind(bindDn, bindPassword);
}

/** Looks people up, and tries their passwords. */
export class Directory {
  constructor(private readonly log: Pick<Logger, 'warn'>) {}

  /** Kind `ldap`. */
  async checkPassword({ settings, name: source }: Source, name: string, password: string) {
    if (!isUsable(name, password)) return undefined;
    return withConnection(settings, signInLimits, async (client) => {
      await bindSearcher(client, settings);
      const entry = await this.#entry(client, settings, settings.userBase, name, source);
      if (!entry) return undefined;
      // as themselves on a connection of their own: what follows is asked as who searches
      const own = await withConnection(settings, signInLimits, async (person) => {
        if (!(await isPassword(person, entry.dn, password))) return undefined;
        return settings.attributesInBind ? read(person, entry.dn, settings) : entry;
      });
      return own && this.#user(client, settings, own);
    });
  }

  /** Kind `ldap-simple`: all as the person. */
  async checkSimplePassword({ settings, name: source }: Source, name: string, password: string) {
    if (!isUsable(name, password)) return undefined;
    const dn = fillPattern(settings.userDn, escapeDn(name));
    return withConnection(settings, signInLimits, async (client) => {
      if (!(await isPassword(client, dn, password))) return undefined;
      const entry = await this.#entry(client, settings, settings.userBase || dn, name, source, !settings.userBase);
      // somebody else's entry is theirs only if the password is too
      if (!entry || (plainDn(entry.dn) !== plainDn(dn) && !(await isPassword(client, entry.dn, password))))
        return undefined;
      return this.#user(client, settings, entry);
    });
  }

  /** Throws when it cannot be reached, or does not let the searcher in. */
  async tryConnection({ settings }: Source): Promise<void> {
    await withConnection(settings, signInLimits, async (client) => {
      await bindSearcher(client, settings);
      const base = settings.userBase;
      if (base && settings.bindDn) await client.search(base, { scope: 'base', sizeLimit: 1, attributes: ['1.1'] });
      else await client.search('', { scope: 'base', sizeLimit: 1, attributes: ['1.1'] });
    });
  }

  /** Everybody whom the filter finds, page by page. */
  async *users({ settings, name: source }: Source, signal: AbortSignal): AsyncGenerator<DirectoryUser[]> {
    const pages = new Channel<DirectoryUser[]>();
    const reading = withConnection(settings, { ...syncLimits, signal }, async (client) => {
      await bindSearcher(client, settings);
      const options = {
        scope: 'sub' as const,
        filter: fillPattern(settings.userFilter, '*'),
        attributes: attributesOf(settings),
        explicitBufferAttributes: settings.avatarAttribute ? [settings.avatarAttribute] : [],
      };
      const { pageSize, userBase } = settings;
      const all =
        pageSize > 0
          ? client.searchPaginated(userBase, { ...options, paged: { pageSize } })
          : [await client.search(userBase, options)];
      let count = 0;
      for await (const { searchEntries } of all) {
        const page: DirectoryUser[] = [];
        for (const entry of searchEntries) {
          const externalUser = await this.#user(client, settings, entry);
          // what only the person may read is not missing because the searcher does not see it
          if (externalUser) page.push(settings.attributesInBind ? withoutOwn(externalUser) : externalUser);
        }
        count += page.length;
        if (!(await pages.put(page))) return;
      }
      if (count === 0 && !settings.allowDeactivateAll)
        throw new Error(`The directory of ${source} returned no users, so no account was deactivated.`);
    });
    reading.then(
      () => pages.end(),
      (error: unknown) => pages.end(error),
    );
    try {
      yield* pages;
    } finally {
      pages.stop();
      await reading.catch(() => {});
    }
  }

  /** The one entry of that name; of two it cannot be told whose password it is. */
  async #entry(
    client: Client,
    settings: DirectorySettings,
    base: string,
    name: string,
    source: string,
    isBaseOnly = false,
  ): Promise<Entry | undefined> {
    try {
      const { searchEntries } = await client.search(base, {
        scope: isBaseOnly ? 'base' : 'sub',
        filter: fillPattern(settings.userFilter, escapeFilter(name)),
        sizeLimit: 2,
        timeLimit: 10,
        attributes: settings.attributesInBind ? [settings.usernameAttribute] : attributesOf(settings),
        explicitBufferAttributes: settings.avatarAttribute ? [settings.avatarAttribute] : [],
      });
      if (searchEntries.length < 2) return searchEntries[0];
    } catch (error) {
      if (!(error instanceof ldapts().SizeLimitExceededError)) throw error;
    }
    this.log.warn('a user filter matches several entries for one name', { event: 'ldap.ambiguousUser', source });
    return undefined;
  }

  async #user(client: Client, settings: DirectorySettings, entry: Entry): Promise<DirectoryUser | undefined> {
    const { adminFilter, restrictedFilter } = settings;
    const more: { -readonly [K in keyof Pick<ExternalUser, 'isAdmin' | 'isRestricted' | 'groups'>]: ExternalUser[K] } =
      {};
    if (settings.groupsEnabled) {
      const groups = await groupsOf(client, settings, entry);
      if (settings.groupFilter !== '' && groups.length === 0) return undefined;
      more.groups = groups;
    }
    if (adminFilter !== '') more.isAdmin = await matches(client, entry.dn, adminFilter);
    if (restrictedFilter !== '')
      more.isRestricted =
        !more.isAdmin && (restrictedFilter === '*' || (await matches(client, entry.dn, restrictedFilter)));
    return directoryUserOf(settings, entry, more);
  }
}

const isUsable = (name: string, password: string): boolean =>
  name !== '' && name.length <= maxNameLength && password !== '';

async function read(client: Client, dn: string, settings: DirectorySettings): Promise<Entry | undefined> {
  const { searchEntries } = await client.search(dn, {
    scope: 'base',
    sizeLimit: 1,
    attributes: attributesOf(settings),
    explicitBufferAttributes: settings.avatarAttribute ? [settings.avatarAttribute] : [],
  });
  return searchEntries[0];
}

async function matches(client: Client, dn: string, filter: string): Promise<boolean> {
  const { searchEntries } = await client.search(dn, { scope: 'base', filter, sizeLimit: 1, attributes: ['1.1'] });
  return searchEntries.length > 0;
}

const inBrackets = (filter: string): string => (filter.startsWith('(') ? filter : `(${filter})`);

/** Names of the groups that name the person, in one spelling. */
async function groupsOf(client: Client, settings: DirectorySettings, entry: Entry): Promise<string[]> {
  const { groupBase, groupFilter, groupMemberAttribute, groupUserAttribute } = settings;
  const value = groupUserAttribute.toLowerCase() === 'dn' ? entry.dn : textOfEntry(entry, groupUserAttribute);
  if (value === '' || groupBase === '' || groupMemberAttribute === '') return [];
  const named = `(${groupMemberAttribute}=${escapeFilter(value)})`;
  const { searchEntries } = await client.search(groupBase, {
    scope: 'sub',
    filter: groupFilter === '' || groupFilter === '*' ? named : `(&${inBrackets(groupFilter)}${named})`,
    sizeLimit: maxGroups,
    attributes: ['1.1'],
  });
  return searchEntries.map(({ dn }) => plainDn(dn));
}

/** Hands pages from the connection to who reads them, one at a time. */
class Channel<T> implements AsyncIterable<T> {
  #page: T | undefined;
  #isEnded = false;
  #isStopped = false;
  #error: unknown;
  #wake: () => void = () => {};

  #changed(): void {
    const wake = this.#wake;
    this.#wake = () => {};
    wake();
  }

  #wait = (): Promise<void> =>
    new Promise((resolve) => {
      const before = this.#wake;
      this.#wake = () => {
        before();
        resolve();
      };
    });

  /** False: nobody reads any more. */
  async put(page: T): Promise<boolean> {
    this.#page = page;
    this.#changed();
    while (this.#page !== undefined && !this.#isStopped) await this.#wait();
    return !this.#isStopped;
  }

  end(error?: unknown): void {
    this.#isEnded = true;
    this.#error = error;
    this.#changed();
  }

  stop(): void {
    this.#isStopped = true;
    this.#changed();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      if (this.#page !== undefined) {
        const page = this.#page;
        yield page;
        this.#page = undefined;
        this.#changed();
      } else if (this.#isEnded) {
        if (this.#error !== undefined) throw this.#error;
        return;
      } else await this.#wait();
    }
  }
}

function withoutOwn({ publicKeys: _keys, avatar: _avatar, ...person }: DirectoryUser): DirectoryUser {
  return person;
}
