import { randomBytes, randomUUID } from 'node:crypto';
import { BadRequest, Unauthorized, type Database, type Events, type QueryCache } from '@mortise/plugin-sdk';
import { matchesImported, type Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import type { Runner } from '../../contract/runners.js';
import type { ActionScope } from '../../contract/scopes.js';
import type { ResultNumber, RunnerService, RunnerRegistration, TaskPayload, TaskReport } from '../../contract/tasks.js';
import { RunnerRow } from '../../models/runner.js';
import { RunnerActivityRow } from '../../models/runner-activity.js';
import type { TaskBuilder } from '../tasks/task-builder.js';
import type { TaskClaims } from '../tasks/task-claims.js';
import type { TaskVersions } from '../tasks/task-versions.js';
import type { TaskReports } from '../tasks/task-reports.js';
import { auditInScope } from '../audited-scope.js';
import type { RegistrationService } from './registration.js';
import { hashOf, isHashOf, toRunner } from './runner-records.js';
import type { RunnerActivity } from './runner-activity.js';

/** A little less than the time that runners give a call for work. */
const holdMs = 4000;
/** Calls that wait in one process; more are answered at once. */
const maxHeld = 5000;
const maxLabels = 100;

interface RunnerGatewayDeps {
  readonly database: Database;
  readonly events: Events;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly registration: RegistrationService;
  readonly runnerActivity: RunnerActivity;
  readonly versions: TaskVersions;
  readonly claims: TaskClaims;
  readonly builder: TaskBuilder;
  readonly reports: TaskReports;
  /** By uuid; null: there is none. */
  readonly known: QueryCache<RunnerRow | null>;
  readonly maxPicks: number;
}

const labelsOf = (input: readonly string[]): string[] =>
  [...new Set(input.map((one) => one.slice(0, 255)))].filter(Boolean).slice(0, maxLabels);
const versionOf = (input: string): string => input.slice(0, 64);
const newHashOf = (secret: string): Pick<RunnerRow, 'token_hash' | 'token_salt'> => {
  const salt = randomBytes(16).toString('hex');
  return { token_hash: hashOf(salt, secret), token_salt: salt };
};

export class RunnerGateway implements RunnerService {
  #picks = 0;

  constructor(private readonly deps: RunnerGatewayDeps) {}

  async register(input: RunnerRegistration): Promise<{ runner: Runner; secret: string }> {
    const { database, events } = this.deps;
    if (!input.token || !input.name) throw BadRequest('missing runner token, name');
    const scope = await this.#scopeOf(input.token);
    const secret = randomBytes(20).toString('hex');
    const now = Date.now();
    const row = await database.write(async () => {
      const made = await database.query(RunnerRow).insertAndFetch({
        uuid: randomUUID(),
        name: [...input.name].slice(0, 255).join(''),
        owner_id: scope.ownerId,
        repository_id: scope.repositoryId,
        description: '',
        ...newHashOf(secret),
        version: versionOf(input.version),
        labels: labelsOf(input.labels),
        is_ephemeral: input.isEphemeral,
        is_disabled: false,
        can_cancel: input.capabilities.includes('cancelling'),
        used_by_task: null,
        created_at: now,
        updated_at: now,
      });
      await database.query(RunnerActivityRow).insert({ runner_id: made.id, online_at: 0, active_at: 0 });
      const target = { kind: 'runner', id: made.id, name: made.name };
      await auditInScope(events, scope, { action: 'runner.create', target });
      return made;
    });
    return { runner: toRunner(row, { onlineAt: 0, activeAt: 0 }, now), secret };
  }

  async authenticate(uuid: string, secret: string): Promise<Runner> {
    const row = await this.#row(uuid);
    if (!row || !(await this.#knows(row, secret))) throw Unauthorized('unregistered runner');
    const now = Date.now();
    await this.deps.runnerActivity.noteOnline(row.id, now);
    return toRunner(row, { onlineAt: now, activeAt: 0 }, now);
  }

  /** A runner of a server that was taken over gets a hash of ours when it first calls. */
  async #knows(row: RunnerRow, secret: string): Promise<boolean> {
    const { id, token_hash } = row;
    if (!token_hash.startsWith('$')) return isHashOf(token_hash, row.token_salt, secret);
    if (!(await matchesImported(token_hash, secret))) return false;
    const { database } = this.deps;
    await database.write(async () => {
      await database.query(RunnerRow).where({ id, token_hash }).patch(newHashOf(secret));
    });
    return true;
  }

  async declare(
    runner: Runner,
    declared: {
      readonly version: string;
      readonly labels: readonly string[];
      readonly capabilities: readonly string[];
    },
  ): Promise<Runner> {
    const { database } = this.deps;
    const changes = {
      version: versionOf(declared.version),
      labels: labelsOf(declared.labels),
      can_cancel: declared.capabilities.includes('cancelling'),
    };
    await database.write(async () => {
      await database
        .query(RunnerRow)
        .findById(runner.id)
        .patch({ ...changes, updated_at: Date.now() });
    });
    return { ...runner, version: changes.version, labels: changes.labels, canCancel: changes.can_cancel };
  }

  async fetch(runner: Runner, known: bigint, signal: AbortSignal): Promise<{ task?: TaskPayload; version: bigint }> {
    const { versions, database } = this.deps;
    const until = Date.now() + holdMs;
    for (;;) {
      // Read before looking for jobs: what comes meanwhile counts as new for the next call.
      const version = await versions.current(runner.scope);
      if (known === 0n || known !== version) return this.#claimTask(runner, known, version, signal);
      const left = until - Date.now();
      if (left <= 0 || signal.aborted || versions.waiting >= maxHeld) return { version };
      await versions.wait(runner.scope, left, signal);
      await database.syncVersions();
    }
  }

  async #claimTask(
    { uuid }: Runner,
    known: bigint,
    version: bigint,
    signal: AbortSignal,
  ): Promise<{ task?: TaskPayload; version: bigint }> {
    const { claims, builder, maxPicks } = this.deps;
    // With its own version the runner asks again.
    if (this.#picks >= maxPicks) return { version: known };
    this.#picks++;
    try {
      // It may have been switched off a moment ago.
      const row = await this.#row(uuid);
      if (!row || row.is_disabled || (row.is_ephemeral && row.used_by_task !== null)) return { version };
      const claim = await claims.claim(row);
      if (!claim) return { version };
      try {
        const task = await builder.build(claim);
        if (!signal.aborted) return { task, version };
      } catch (error) {
        await this.release(claim.taskId);
        throw error;
      }
      await this.release(claim.taskId);
      return { version };
    } finally {
      this.#picks--;
    }
  }

  release(taskId: number): Promise<void> {
    return this.deps.claims.release(taskId);
  }

  async report(runner: Runner, report: TaskReport): Promise<{ result: ResultNumber; sentOutputs: readonly string[] }> {
    const answer = await this.deps.reports.report(runner.id, report);
    if (!(answer.isEnded && runner.isEphemeral)) this.deps.runnerActivity.noteActive(runner.id);
    return answer;
  }

  async checkTask(runner: Runner, taskId: number): Promise<void> {
    await this.deps.reports.taskOf(runner.id, taskId);
    this.deps.runnerActivity.noteActive(runner.id);
  }

  async #row(uuid: string): Promise<RunnerRow | undefined> {
    if (!/^[0-9a-f-]{36}$/.test(uuid)) return undefined;
    const load = async () => (await this.deps.database.query(RunnerRow).findOne({ uuid })) ?? null;
    return (await this.deps.known.load(uuid, load)) ?? undefined;
  }

  /** In the order and the words that runners know. */
  async #scopeOf(token: string): Promise<ActionScope> {
    const row = await this.deps.registration.find(token);
    if (!row) throw BadRequest('runner registration token not found');
    if (!row.is_active) throw BadRequest('runner registration token has been invalidated, please use the latest one');
    if (row.owner_id && !(await this.deps.accounts.byId(row.owner_id)))
      throw BadRequest('owner of the token not found');
    if (row.repository_id && !(await this.deps.repositories.byId(row.repository_id)))
      throw BadRequest('repository of the token not found');
    return { ownerId: row.owner_id, repositoryId: row.repository_id };
  }
}
