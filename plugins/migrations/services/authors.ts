import type { Accounts } from '@mortise/accounts/api';
import type { ImportedReaction, OriginalAuthor } from '@mortise/issues/api';
import type { AuthorMapping } from '../contract/importer.js';
import type { SourceReaction, SourceUser } from '../contract/records.js';
import { cleanId, cleanLine, cleanList } from './sanitize.js';

/** Whose account an imported text belongs to, and who wrote it at the source. */
interface MappedAuthor extends OriginalAuthor {
  readonly accountId: number;
}

const maxKnown = 10_000;
const maxReactions = 1000;

/** Finds accounts of this site for those of the source. */
export class AuthorMap {
  /** By name and address at the source; undefined: no account. */
  readonly #known = new Map<string, number | undefined>();

  constructor(
    private readonly accounts: Pick<Accounts, 'byConfirmedEmails' | 'byNames'>,
    private readonly mapping: AuthorMapping,
    private readonly importerId: number,
  ) {}

  /** Looks up all of a page at once; {@link of} knows them then. */
  async load(users: readonly SourceUser[]): Promise<void> {
    if (this.#known.size > maxKnown) this.#known.clear();
    const unknown = users.filter((user) => !this.#known.has(keyOf(user)));
    if (unknown.length === 0) return;
    const { by, accounts: given } = this.mapping;
    const emails = by === 'none' ? [] : unknown.flatMap(({ email }) => (email ? cleanLine(email).toLowerCase() : []));
    const names = by === 'name' ? unknown.map(({ name }) => cleanLine(name).toLowerCase()).filter(Boolean) : [];
    const byEmail = emails.length ? await this.accounts.byConfirmedEmails([...new Set(emails)]) : new Map();
    const byName = names.length ? await this.accounts.byNames([...new Set(names)]) : new Map();
    for (const user of unknown) {
      const name = cleanLine(user.name).toLowerCase();
      const account =
        byEmail.get(cleanLine(user.email).toLowerCase()) ??
        // organizations write nothing
        (byName.get(name)?.kind === 'user' ? byName.get(name) : undefined);
      this.#known.set(keyOf(user), Object.hasOwn(given, name) ? given[name] : account?.id);
    }
  }

  of(user: SourceUser): MappedAuthor {
    const accountId = this.accountOf(user);
    if (accountId !== undefined) return { accountId, originalAuthor: '', originalAuthorId: 0 };
    return {
      accountId: this.importerId,
      originalAuthor: cleanLine(user.name),
      originalAuthorId: cleanId(user.id),
    };
  }

  /** Undefined: none is known. */
  accountOf = (user: SourceUser): number | undefined => this.#known.get(keyOf(user));

  reactions(reactions: readonly SourceReaction[]): ImportedReaction[] {
    return cleanList(reactions, maxReactions).flatMap(({ content, user }) => {
      const name = cleanLine(content, 40);
      const { accountId: userId, originalAuthor } = this.of(user);
      return name ? [{ content: name, userId, originalAuthor }] : [];
    });
  }
}

const keyOf = ({ name, email }: SourceUser): string => `${cleanLine(name)} ${cleanLine(email)}`.toLowerCase();

/** Everybody who reacted. */
export const reactingUsers = (reactions: readonly SourceReaction[]): SourceUser[] =>
  cleanList(reactions, maxReactions).map(({ user }) => user);
