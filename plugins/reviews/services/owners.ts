import { Problem, type Actor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { GitReader } from '@mortise/git/api';
import type { Team } from '@mortise/organizations/api';
import type { Repository } from '@mortise/repositories/api';
import { matchingRules, ownerLimits, ownerPaths, parseOwners, type OwnerRule } from './code-owners.js';
import type { Reviewers } from './people.js';

/** What of a rule is shown as it is written, also in terminals. */
const address = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,190}$/u;

/** People, and teams, whose names are shown at most. */
const mostShown = 100;

/** A rule that concerns a change, with those of its owners who exist. */
export interface OwnedPart {
  readonly rule: OwnerRule;
  /**
   * For the viewer to read: names of those of whom the viewer may know, and addresses as the rule has them, whether or
   * not they are anybody's: an address must not tell whose it is.
   */
  readonly names: readonly string[];
  readonly people: readonly Account[];
  readonly teams: readonly Team[];
}

/** `unreadable`: there is a file that cannot be used, or it is too much to look at. */
export type FoundOwners = { readonly parts: readonly OwnedPart[] } | 'unreadable';

/** Finds out to whom what a pull request changes belongs, by the file on the default branch of its repository. */
export class CodeOwners {
  constructor(
    private readonly parts: {
      readonly gitReader: GitReader;
      readonly accounts: Accounts;
      readonly reviewers: Reviewers;
    },
  ) {}

  /** Without a viewer no names are given, but for addresses. */
  async of(repository: Repository, paths: readonly string[], viewer?: Actor): Promise<FoundOwners> {
    const text = await this.#read(repository);
    if (text === undefined) return { parts: [] };
    const rules = text === 'unreadable' ? undefined : parseOwners(text.text);
    const found = rules && (await matchingRules(rules, paths));
    return found ? { parts: await this.#known(repository, found, viewer) } : 'unreadable';
  }

  async #read({ id, defaultBranch }: Repository): Promise<{ text: string } | 'unreadable' | undefined> {
    const git = this.parts.gitReader.open(id);
    const head = await git.branch(defaultBranch);
    if (!head) return undefined;
    for (const path of ownerPaths) {
      const entry = await git.entry(head.oid, path);
      if (entry?.type !== 'blob') continue;
      try {
        const content = await git.blob(entry.oid, ownerLimits.bytes);
        return content.includes(0) ? 'unreadable' : { text: content.toString('utf8') };
      } catch (error) {
        if (Problem.is(error)) return 'unreadable';
        throw error;
      }
    }
    return undefined;
  }

  async #known(repository: Repository, rules: readonly OwnerRule[], viewer: Actor | undefined): Promise<OwnedPart[]> {
    const names = [...new Set(rules.flatMap(({ owners }) => owners.map((name) => name.toLowerCase())))];
    if (names.length === 0) return [];
    const { accounts, reviewers } = this.parts;
    const prefix = `${repository.ownerName.toLowerCase()}/`;
    const teamNames = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    const [people, byEmail, teams] = await Promise.all([
      accounts.byNames(names.filter((name) => !/[/@]/.test(name))),
      accounts.byConfirmedEmails(names.filter((name) => name.includes('@'))),
      teamNames.length && reviewers.teams
        ? reviewers.teams.search({
            organizationId: repository.ownerId,
            names: teamNames,
            limit: teamNames.length,
            offset: 0,
          })
        : undefined,
    ]);
    const shown = viewer && (await this.#shownTo(viewer, repository, [...people.values()], teams?.items ?? []));
    const byTeam = new Map(teams?.items.map((team) => [`${prefix}${team.lowerName}`, team]));
    return rules.map((rule) => {
      const own = rule.owners.map((name) => name.toLowerCase());
      const found = own.flatMap((name) => people.get(name) ?? byEmail.get(name) ?? []);
      const nameOf = (name: string) => {
        if (name.includes('@')) return address.test(name) ? name : undefined;
        const person = people.get(name.toLowerCase());
        if (person?.kind === 'user') return shown?.people.has(person.id) ? person.name : undefined;
        const team = byTeam.get(name.toLowerCase());
        return team && shown?.teams.has(team.id) ? team.name : undefined;
      };
      return {
        rule,
        names: rule.owners.flatMap((name) => nameOf(name) ?? []),
        people: found.filter(({ kind }) => kind === 'user'),
        teams: own.flatMap((name) => byTeam.get(name) ?? []),
      };
    });
  }

  /** Those of them of whom the viewer may know. */
  async #shownTo(
    viewer: Actor,
    { ownerId: organizationId }: Repository,
    people: readonly Account[],
    teams: readonly Team[],
  ): Promise<{ people: ReadonlySet<number>; teams: ReadonlySet<number> }> {
    const { accounts, reviewers } = this.parts;
    const page = { visibleTo: viewer, limit: mostShown, offset: 0 };
    const ids = people.map(({ id }) => id).slice(0, mostShown);
    const names = teams.map(({ name }) => name).slice(0, mostShown);
    const [seen, known] = await Promise.all([
      ids.length ? accounts.search({ ids, ...page }) : undefined,
      names.length ? reviewers.teams?.search({ organizationId, names, ...page }) : undefined,
    ]);
    const idsOf = (items: readonly { readonly id: number }[] = []) => new Set(items.map(({ id }) => id));
    return { people: idsOf(seen?.items), teams: idsOf(known?.items) };
  }
}
