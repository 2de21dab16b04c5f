import { randomBytes } from 'node:crypto';
import {
  BadRequest,
  Forbidden,
  pageOf,
  Problem,
  Unauthorized,
  type Actor,
  type Database,
  type Events,
  type Jobs,
} from '@mortise/plugin-sdk';
import type { GitRemotes, RemoteAddress } from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import { syncPushMirror } from '../contract/mirrors.js';
import { PushMirrorRow } from '../models/push-mirror.js';
import { MirrorRunRow } from '../models/mirror-run.js';
import type { MirrorSettings } from '../settings.js';
import { auditMirror } from './audit-mirror.js';
import { normalizeBranches } from './branch-filter.js';
import type { CredentialCipher } from './credentials.js';
import { checkInterval } from './interval.js';
import { credentialsOf } from './mirror-address.js';
import { groupOfOwner } from './run-limits.js';
import { generateSshKey } from './ssh-key.js';
import { t } from '../texts/index.js';

export interface PushMirrorDeps {
  readonly database: Database;
  readonly events: Events;
  readonly jobs: Jobs;
  readonly remotes: GitRemotes;
  readonly repositories: Pick<Repositories, 'byId'>;
  readonly credentials: CredentialCipher;
  readonly settings: Readonly<MirrorSettings>;
  /** Host of this site, for the comments of keys. */
  readonly siteHost: string;
}

interface NewPushMirror {
  readonly address: string;
  readonly username?: string;
  readonly password?: string;
  /** `8h`; `0`: not by itself. */
  readonly interval: string;
  readonly syncOnCommit: boolean;
  readonly branches?: string;
  readonly lfs?: boolean;
  /** A key is made here, which the other server must let in. */
  readonly useSsh?: boolean;
}

const maxPerRepository = 20;
const busyMs = 60_000;
/** So many runs within {@link busyMs} begin at once. */
const promptRuns = 5;

/**
 * Milliseconds before the next run that a commit starts. Many commits make few runs, and two servers that follow each
 * other and change at the same moment fall out of step instead of answering each other for ever.
 */
const pauseAfter = (runs: number): number =>
  runs < promptRuns ? 0 : (runs - promptRuns + 1) * 1000 * (0.5 + Math.random());

export class PushMirrorService {
  constructor(private readonly deps: PushMirrorDeps) {}

  mayCreate(actor: Actor): boolean {
    const { ENABLED, DISABLE_NEW_PUSH } = this.deps.settings;
    return ENABLED && (actor.isAdmin || !DISABLE_NEW_PUSH);
  }

  get isEnabled(): boolean {
    return this.deps.settings.ENABLED;
  }

  /** Throws BadRequest for what cannot be, as compatible services do. */
  async create(repository: Repository, input: NewPushMirror, actor: Actor): Promise<PushMirrorRow> {
    const { database, events, credentials, siteHost } = this.deps;
    if (!this.mayCreate(actor)) throw Forbidden(t.later('error.pushOff'));
    const interval = this.#interval(input.interval);
    const address = this.#address(input);
    const name = `remote_mirror_${randomName()}`;
    const key = input.useSsh ? await generateSshKey(`${name}@${siteHost}`) : undefined;
    const login = key ? { privateKey: key.privateKey } : credentialsOf(address, input);
    const now = Date.now();
    const row = {
      repository_id: repository.id,
      name,
      remote_url: address.url,
      credentials: credentials.encrypt(login),
      interval,
      branches: normalizeBranches(input.branches ?? ''),
      lfs: input.lfs ?? true,
      sync_on_commit: input.syncOnCommit,
      public_key: key?.publicKey ?? '',
      known_hosts: '',
      last_error: '',
      next_run_at: interval ? now + interval : 0,
      created_at: now,
    };
    return database.write(async () => {
      const count = await this.#of(repository.id).resultSize();
      if (count >= maxPerRepository) throw BadRequest(t.later('error.tooMany', { max: maxPerRepository }));
      const made = await database.query(PushMirrorRow).insertAndFetch(row);
      await auditMirror(events, 'push_mirror.create', made);
      return made;
    });
  }

  async list(repositoryId: number, page: { limit: number; offset: number }) {
    const { rows, total } = await pageOf(this.#of(repositoryId).orderBy('id'), page);
    return { rows, total };
  }

  async all(repositoryId: number): Promise<PushMirrorRow[]> {
    return this.#of(repositoryId).orderBy('id').limit(maxPerRepository);
  }

  async byName(repositoryId: number, name: string): Promise<PushMirrorRow | undefined> {
    return this.#of(repositoryId).findOne({ name });
  }

  async delete(repositoryId: number, name: string): Promise<void> {
    const { database, events } = this.deps;
    await database.write(async () => {
      const row = await this.byName(repositoryId, name);
      if (!row) return;
      await database.query(PushMirrorRow).deleteById(row.id);
      await auditMirror(events, 'push_mirror.delete', row);
    });
  }

  /** After a change of references: those that follow each commit, unless they wait after a failure. */
  async follow(repositoryId: number): Promise<void> {
    if (!this.isEnabled) return;
    const now = Date.now();
    const rows = await this.#of(repositoryId).where('sync_on_commit', true);
    if (rows.length === 0) return;
    const recent = await this.#recentRuns(repositoryId, now - busyMs);
    const ownerId = await this.#ownerOf(repositoryId);
    for (const row of rows)
      if (row.failures === 0 || Number(row.next_run_at) <= now)
        await this.request(row, ownerId, 'commit', now + pauseAfter(recent.get(row.id) ?? 0));
  }

  /** How many runs commits have started since, by mirror. */
  async #recentRuns(repositoryId: number, since: number): Promise<Map<number, number>> {
    const runs = await this.deps.database
      .query(MirrorRunRow)
      .where({ repository_id: repositoryId, started_by: 'commit' })
      .where('started_at', '>', since)
      .select('push_mirror_id');
    const counts = new Map<number, number>();
    for (const { push_mirror_id: id } of runs) if (id) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  }

  /** As somebody asks for it. Throws BadRequest where mirrors are off. */
  async requestSync(row: PushMirrorRow): Promise<void> {
    if (!this.isEnabled) throw BadRequest(t.later('error.off'));
    await this.request(row, await this.#ownerOf(row.repository_id), 'user');
  }

  /** `ownerId`: of its repository. */
  async request(
    { id }: Pick<PushMirrorRow, 'id'>,
    ownerId: number,
    startedBy: 'schedule' | 'user' | 'commit',
    runAt = Date.now(),
  ): Promise<void> {
    const options = { uniqueKey: `mirrors.push:${id}`, group: groupOfOwner(ownerId), runAt };
    await this.deps.jobs.enqueue(
      syncPushMirror,
      { pushMirrorId: id, startedBy },
      { ...options, priority: startedBy === 'schedule' ? 0 : 5 },
    );
  }

  async #ownerOf(repositoryId: number): Promise<number> {
    return (await this.deps.repositories.byId(repositoryId))?.ownerId ?? 0;
  }

  #of(repositoryId: number) {
    return this.deps.database.query(PushMirrorRow).where('repository_id', repositoryId);
  }

  #interval(text: string): number {
    const checked = checkInterval(text, this.deps.settings.MIN_INTERVAL);
    if ('problem' in checked) throw BadRequest(checked.problem, { inputs: { interval: checked.problem } });
    return checked.interval;
  }

  #address({ address: text, useSsh }: NewPushMirror): RemoteAddress {
    if (/^(?:\.{0,2}\/|file:)/.test(text)) throw Unauthorized(t.later('error.localPath'));
    try {
      const address = this.deps.remotes.parse(text, useSsh ? ['ssh'] : ['http', 'https', 'git']);
      this.deps.remotes.check(address);
      return address;
    } catch (error) {
      if (!Problem.is(error)) throw error;
      throw BadRequest(error.text, { inputs: { address: error.text } });
    }
  }
}

/** Ten letters and digits. */
const randomName = (): string =>
  [...randomBytes(10)]
    .map((byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'[byte % 62])
    .join('');
