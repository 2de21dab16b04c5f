import { Forbidden, Invalid, Problem, type Actor, type Database, type Events, type Jobs } from '@mortise/plugin-sdk';
import type { GitReader, GitRemotes } from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import { syncPullMirror, type MirrorCreationOptions, type NewPullMirror } from '../contract/mirrors.js';
import { PullMirrorRow } from '../models/pull-mirror.js';
import type { MirrorSettings } from '../settings.js';
import { auditMirror } from './audit-mirror.js';
import { normalizeBranches } from './branch-filter.js';
import type { CredentialCipher } from './credentials.js';
import { checkInterval } from './interval.js';
import { credentialsOf } from './mirror-address.js';
import { groupOfOwner } from './run-limits.js';
import { branchHere, type PullSource, type PullSync } from './pull-sync.js';
import { t } from '../texts/index.js';

interface PullMirrorDeps {
  readonly database: Database;
  readonly events: Events;
  readonly jobs: Jobs;
  readonly remotes: GitRemotes;
  readonly repositories: Repositories;
  readonly reader: GitReader;
  readonly sync: PullSync;
  readonly credentials: CredentialCipher;
  readonly settings: Readonly<MirrorSettings>;
}

/** What can be changed of a pull mirror; absent: stays. */
interface PullMirrorChanges {
  readonly address?: string;
  readonly username?: string;
  readonly password?: string;
  readonly interval?: string;
  readonly prune?: boolean;
  readonly wiki?: boolean;
  readonly lfs?: boolean;
  readonly branches?: string;
}

/** A pull mirror that may be made. */
type PullMirrorPlan = PullSource & { readonly intervalMs: number };

export class PullMirrorService {
  constructor(private readonly deps: PullMirrorDeps) {}

  mayCreate(actor: Actor): boolean {
    const { ENABLED, DISABLE_NEW_PULL } = this.deps.settings;
    return ENABLED && (actor.isAdmin || !DISABLE_NEW_PULL);
  }

  plan(input: Omit<NewPullMirror, 'name'>, actor: Actor): PullMirrorPlan {
    if (!this.mayCreate(actor)) throw Forbidden(t.later('error.pullOff'));
    const address = this.deps.remotes.parse(input.address, ['http', 'https', 'git']);
    this.deps.remotes.check(address);
    return {
      address,
      credentials: credentialsOf(address, input),
      intervalMs: this.interval(input.interval ?? ''),
      prune: input.prune ?? true,
      wiki: input.wiki ?? false,
      lfs: input.lfs ?? false,
      branches: normalizeBranches(input.branches ?? ''),
    };
  }

  /** Brings everything into a repository whose folder is there. */
  async fill(plan: PullMirrorPlan, repositoryId: number, actor: Actor, options: MirrorCreationOptions) {
    const { signal = new AbortController().signal, onProgress } = options;
    const { head } = await this.deps.sync.fetchAll(repositoryId, plan, actor, { signal, onProgress });
    return { defaultBranch: (await branchHere(this.deps.reader.open(repositoryId), [head])) ?? head };
  }

  /** Inside the transaction that makes the repository visible. */
  async store(plan: PullMirrorPlan, repositoryId: number): Promise<void> {
    const { database, events, credentials } = this.deps;
    const now = Date.now();
    const row = await database.query(PullMirrorRow).insertAndFetch({
      repository_id: repositoryId,
      remote_url: plan.address.url,
      credentials: credentials.encrypt(plan.credentials),
      interval: plan.intervalMs,
      branches: plan.branches,
      prune: plan.prune,
      wiki: plan.wiki,
      lfs: plan.lfs,
      last_error: '',
      last_run_at: now,
      last_success_at: now,
      next_run_at: plan.intervalMs ? now + plan.intervalMs : 0,
      created_at: now,
    });
    await auditMirror(events, 'mirror.create', row);
  }

  async requestSync(repositoryId: number): Promise<void> {
    if (!this.deps.settings.ENABLED) throw new Problem('bad_request', t.later('error.off'));
    const row = await this.of(repositoryId);
    const repository = row && (await this.deps.repositories.byId(repositoryId));
    if (!repository) throw new Problem('bad_request', t.later('error.noMirror'));
    await this.deps.jobs.enqueue(
      syncPullMirror,
      { repositoryId, startedBy: 'user' },
      {
        uniqueKey: `mirrors.pull:${repositoryId}`,
        group: groupOfOwner(repository.ownerId),
        priority: 5,
      },
    );
  }

  async of(repositoryId: number): Promise<PullMirrorRow | undefined> {
    return this.deps.database.query(PullMirrorRow).findOne('repository_id', repositoryId);
  }

  /** Milliseconds; empty: that of the site. Throws Invalid for what is none, or too short. */
  interval(text: string): number {
    const { DEFAULT_INTERVAL, MIN_INTERVAL } = this.deps.settings;
    if (!text.trim()) return DEFAULT_INTERVAL;
    const checked = checkInterval(text, MIN_INTERVAL);
    if ('problem' in checked) throw Invalid(checked.problem, { inputs: { interval: checked.problem } });
    return checked.interval;
  }

  /** Inside the caller's transaction or in one of its own. */
  async change(repository: Repository, changes: PullMirrorChanges): Promise<void> {
    const { database, events, repositories, remotes, credentials } = this.deps;
    const interval = changes.interval === undefined ? undefined : this.interval(changes.interval);
    const address =
      changes.address === undefined ? undefined : remotes.parse(changes.address, ['http', 'https', 'git']);
    if (address) remotes.check(address);
    const branches = changes.branches === undefined ? undefined : normalizeBranches(changes.branches);
    await database.write(async () => {
      const row = await this.of(repository.id);
      if (!row) throw Invalid(t.later('error.noMirror'));
      const isElsewhere = address && address.url !== row.remote_url;
      const login = address && credentialsOf(address, changes);
      const isGiven = Boolean(login?.username || login?.password);
      await database
        .query(PullMirrorRow)
        .findById(row.id)
        .patch({
          ...(interval !== undefined && { interval, next_run_at: interval ? Date.now() + interval : 0 }),
          ...(changes.prune !== undefined && { prune: changes.prune }),
          ...(changes.wiki !== undefined && { wiki: changes.wiki }),
          ...(changes.lfs !== undefined && { lfs: changes.lfs }),
          ...(branches !== undefined && { branches }),
          ...(address && { remote_url: address.url }),
          // what one person gave for an address opens no other one, also of the same server, to the next
          ...(login && (isGiven || isElsewhere) && { credentials: credentials.encrypt(login) }),
        });
      await auditMirror(events, 'mirror.edit', { ...row, remote_url: address?.url ?? row.remote_url });
      if (interval !== undefined || address)
        await repositories.setMirror(repository.id, { intervalMs: interval, originalUrl: address?.url });
    });
  }

  /** From now on it is a repository of its own. */
  async convert(repository: Repository): Promise<void> {
    const { database, events, repositories } = this.deps;
    await database.write(async () => {
      const row = await this.of(repository.id);
      if (!row) throw Invalid(t.later('error.noMirror'));
      await database.query(PullMirrorRow).deleteById(row.id);
      await auditMirror(events, 'mirror.delete', row);
      await repositories.setMirror(repository.id, undefined);
    });
  }
}
