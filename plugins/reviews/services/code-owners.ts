import { Problem, type Actor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { decodeText, type GitReader } from '@mortise/git/api';
import type { Team } from '@mortise/organizations/api';
import type { Pulls } from '@mortise/pulls/api';
import type { Repository } from '@mortise/repositories/api';
import {
  matchingRules,
  ownerLimits,
  ownerPaths,
  parseOwners,
  type OwnerRule,
  type InvalidLine,
} from './owners-file.js';
import { mayWriteCode, type Reviewers } from './reviewers.js';

/** What of a rule is shown as it is written, also in terminals. */
const address = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,190}$/u;

/** People, and teams, whose names are shown at most. */
const maxShown = 100;

/** A rule that concerns a change, with those of its owners who may write the repository; other names count for nothing. */
export interface OwnedRule {
  readonly rule: OwnerRule;
  /**
   * For the viewer to read: names of those of whom the viewer may know, and addresses as the rule has them, whether or
   * not they are anybody's: an address must not tell whose it is.
   */
  readonly names: readonly string[];
  readonly users: readonly Account[];
  readonly teams: readonly Team[];
  /** As the rule has them: names that are nobody's, and of those who may not write. */
  readonly ineligible: readonly string[];
}

/** `unreadable`: there is a file that cannot be used, or it is too much to look at. */
export type OwnersResult =
  | { readonly parts: readonly OwnedRule[]; readonly faults: readonly InvalidLine[] }
  | 'unreadable';

/** What is wrong with a file of owners. */
export interface OwnersFileProblems {
  readonly faults: readonly InvalidLine[];
  /** Names that count for nothing, by the line on which they stand. */
  readonly ineligible: readonly { readonly line: number; readonly names: readonly string[] }[];
}

/** Finds out to whom what a pull request changes belongs, by the file on the default branch of its repository. */
export class CodeOwners {
  constructor(
    private readonly deps: {
      readonly gitReader: GitReader;
      readonly accounts: Accounts;
      readonly pulls: Pulls;
      readonly reviewers: Reviewers;
    },
  ) {}

  /** Without a viewer no names are given, but for addresses. */
  async of(repository: Repository, paths: readonly string[], viewer?: Actor): Promise<OwnersResult> {
    const text = await this.#read(repository);
    if (text === undefined) return { parts: [], faults: [] };
    const file = text === 'unreadable' ? undefined : parseOwners(text.text);
    const rules = file && (await matchingRules(file.rules, paths));
    return rules ? { parts: await this.#known(repository, rules, viewer), faults: file.errors } : 'unreadable';
  }

  /** What is wrong with the file as it stands at a commit; undefined: it is too large, or no text. */
  async check(repository: Repository, commit: string, path: string): Promise<OwnersFileProblems | undefined> {
    const text = await this.#at(repository.id, commit, path);
    const file = text === undefined || text === 'unreadable' ? undefined : parseOwners(text.text);
    if (!file) return undefined;
    const parts = await this.#known(repository, file.rules, undefined);
    const ineligible = parts.map(({ rule, ineligible: names }) => ({ line: rule.line, names }));
    return { faults: file.errors, ineligible: ineligible.filter(({ names }) => names.length > 0) };
  }

  async #read({ id, defaultBranch }: Repository): Promise<{ text: string } | 'unreadable' | undefined> {
    const git = this.deps.gitReader.open(id);
    const head = await git.branch(defaultBranch);
    if (!head) return undefined;
    for (const path of ownerPaths) {
      const text = await this.#at(id, head.oid, path);
      if (text) return text;
    }
    return undefined;
  }

  async #at(repositoryId: number, commit: string, path: string): Promise<{ text: string } | 'unreadable' | undefined> {
    const git = this.deps.gitReader.open(repositoryId);
    const entry = await git.entry(commit, path);
    if (entry?.type !== 'blob') return undefined;
    try {
      const content = await git.blob(entry.oid, ownerLimits.bytes);
      return content.includes(0) ? 'unreadable' : { text: decodeText(content).text };
    } catch (error) {
      if (Problem.is(error)) return 'unreadable';
      throw error;
    }
  }

  async #known(repository: Repository, rules: readonly OwnerRule[], viewer: Actor | undefined): Promise<OwnedRule[]> {
    const names = [...new Set(rules.flatMap(({ owners }) => owners.map((name) => name.toLowerCase())))];
    if (names.length === 0) return [];
    const { accounts, pulls, reviewers } = this.deps;
    const prefix = `${repository.ownerName.toLowerCase()}/`;
    const teamNames = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    const [users, byEmail, teams] = await Promise.all([
      accounts.byNames(names.filter((name) => !/[/@]/.test(name))),
      accounts.byConfirmedEmails(names.filter((name) => name.includes('@'))),
      teamNames.length && reviewers.teams
        ? reviewers.teams.search({
            organizationId: repository.ownerId,
            repository,
            names: teamNames,
            limit: teamNames.length,
            offset: 0,
          })
        : undefined,
    ]);
    const known = [...users.values(), ...byEmail.values()].filter(({ kind }) => kind === 'user');
    const writers = await pulls.activeWriters(
      repository,
      known.map(({ id }) => id),
    );
    const shown = viewer && (await this.#shownTo(viewer, repository, [...users.values()], teams?.items ?? []));
    const byTeam = new Map(teams?.items.map((team) => [`${prefix}${team.lowerName}`, team]));
    return rules.map((rule) => {
      const own = rule.owners.map((name) => name.toLowerCase());
      const userOf = (name: string) => {
        const user = users.get(name) ?? byEmail.get(name);
        return user && writers.has(user.id) ? user : undefined;
      };
      const teamOf = (name: string) => {
        const team = byTeam.get(name);
        return team && mayWriteCode(team) ? team : undefined;
      };
      const nameOf = (name: string) => {
        if (name.includes('@')) return address.test(name) ? name : undefined;
        const person = users.get(name.toLowerCase());
        if (person?.kind === 'user') return shown?.people.has(person.id) ? person.name : undefined;
        const team = byTeam.get(name.toLowerCase());
        return team && shown?.teams.has(team.id) ? team.name : undefined;
      };
      return {
        rule,
        names: rule.owners.flatMap((name) => nameOf(name) ?? []),
        users: own.flatMap((name) => userOf(name) ?? []),
        teams: own.flatMap((name) => teamOf(name) ?? []),
        ineligible: rule.owners.filter((name) => !userOf(name.toLowerCase()) && !teamOf(name.toLowerCase())),
      };
    });
  }

  /** Those of them of whom the viewer may know. */
  async #shownTo(
    viewer: Actor,
    { ownerId: organizationId }: Repository,
    users: readonly Account[],
    teams: readonly Team[],
  ): Promise<{ people: ReadonlySet<number>; teams: ReadonlySet<number> }> {
    const { accounts, reviewers } = this.deps;
    const page = { visibleTo: viewer, limit: maxShown, offset: 0 };
    const ids = users.map(({ id }) => id).slice(0, maxShown);
    const names = teams.map(({ name }) => name).slice(0, maxShown);
    const [seen, known] = await Promise.all([
      ids.length ? accounts.search({ ids, ...page }) : undefined,
      names.length ? reviewers.teams?.search({ organizationId, names, ...page }) : undefined,
    ]);
    const idsOf = (items: readonly { readonly id: number }[] = []) => new Set(items.map(({ id }) => id));
    return { people: idsOf(seen?.items), teams: idsOf(known?.items) };
  }
}
