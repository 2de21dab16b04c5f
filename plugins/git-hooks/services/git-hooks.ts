import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actAudited, Forbidden, NotFound, type Actor, type Database, type Events } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitProcesses, GitStore, RefChange, RefUpdate, RepositoryKind } from '@mortise/git/api';
import { GitHookRow } from '../models/git-hook.js';
import { t } from '../texts/index.js';

const hookNames = ['pre-receive', 'update', 'post-receive'] as const;
type HookName = (typeof hookNames)[number];

export interface GitHook {
  readonly name: HookName;
  /** Empty: there is none. */
  readonly content: string;
}

const timeoutMs = 60_000;

/**
 * Scripts that administrators give to single repositories. They are the one place where a person's own program runs
 * on this machine, so they are off unless `[security] DISABLE_GIT_HOOKS = false`, and then only for administrators and
 * accounts that one of them has allowed it.
 */
export class GitHookService {
  constructor(
    private readonly deps: {
      database: Database;
      events: Events;
      accounts: Accounts;
      store: GitStore;
      processes: GitProcesses;
      disabled: boolean;
      timeoutMs?: number;
    },
  ) {}

  /** Refuses who may not: where they are off, everybody. */
  async mayEdit(actor: Actor): Promise<void> {
    if (this.deps.disabled) throw Forbidden(t.later('error.disabled'));
    if (!(await this.allows(actor))) throw Forbidden(t.later('error.edit'));
  }

  /** Reading is harmless: also where they are off, who might edit them sees what is stored. */
  async mayRead(actor: Actor): Promise<void> {
    if (!(await this.#trusts(actor))) throw Forbidden(t.later('error.read'));
  }

  async allows(actor: Actor): Promise<boolean> {
    return !this.deps.disabled && this.#trusts(actor);
  }

  async #trusts(actor: Actor): Promise<boolean> {
    return actor.isAdmin || Boolean((await this.deps.accounts.byId(actor.id))?.allowGitHook);
  }

  async list(repositoryId: number): Promise<GitHook[]> {
    const rows = await this.deps.database.query(GitHookRow).where('repository_id', repositoryId);
    return hookNames.map((name) => ({ name, content: rows.find((row) => row.name === name)?.content ?? '' }));
  }

  async get(repositoryId: number, name: string): Promise<GitHook> {
    const hook = (await this.list(repositoryId)).find((one) => one.name === name);
    if (!hook) throw NotFound(t.later('error.missing'));
    return hook;
  }

  /** Empty content removes it. */
  async set(repositoryId: number, name: string, content: string): Promise<GitHook> {
    const { name: known } = await this.get(repositoryId, name);
    const { database, events } = this.deps;
    await database.write(async () => {
      await database.query(GitHookRow).delete().where({ repository_id: repositoryId, name: known });
      if (content.trim())
        await database.query(GitHookRow).insert({ repository_id: repositoryId, name: known, content });
      const target = { kind: 'git_hook', name: known };
      const details = { isRemoved: !content.trim() };
      await events.emit(actAudited, { action: 'git_hook.edit', target, repositoryId, details });
    });
    return { name: known, content: content.trim() ? content : '' };
  }

  /** Inside the caller's transaction. */
  async copy(from: number, to: number): Promise<void> {
    const { database } = this.deps;
    for (const row of await database.query(GitHookRow).where('repository_id', from))
      await database.query(GitHookRow).insert({ repository_id: to, name: row.name, content: row.content });
  }

  /** Before references move: what `pre-receive` or `update` refuses is refused, with what it printed. */
  async check({ repositoryId, kind, updates, quarantine, pusher }: RefChange): Promise<void> {
    if (this.deps.disabled || kind !== 'code') return;
    const hooks = new Map((await this.list(repositoryId)).map((hook) => [hook.name, hook.content]));
    const context = { repositoryId, kind, pusher: pusher.name, environment: quarantine ?? {} };
    const before = hooks.get('pre-receive');
    if (before) await this.#refuse(await this.#run(before, [], lines(updates), context));
    const each = hooks.get('update');
    if (each)
      for (const { ref, old, new: next } of updates)
        await this.#refuse(await this.#run(each, [ref, old, next], '', context));
  }

  /** After they have moved; its failure changes nothing. */
  async after(
    repositoryId: number,
    kind: RepositoryKind,
    updates: readonly RefUpdate[],
    pusher: string,
  ): Promise<void> {
    if (this.deps.disabled || kind !== 'code') return;
    const { content } = await this.get(repositoryId, 'post-receive');
    if (content) await this.#run(content, [], lines(updates), { repositoryId, kind, pusher, environment: {} });
  }

  async #refuse({ code, output }: { code: number; output: string }): Promise<void> {
    if (code !== 0) throw Forbidden(output.trim() || t.later('error.refused'));
  }

  async #run(
    script: string,
    args: readonly string[],
    input: string,
    context: {
      repositoryId: number;
      kind: RepositoryKind;
      pusher: string;
      environment: Readonly<Record<string, string>>;
    },
  ): Promise<{ code: number; output: string }> {
    const folder = await mkdtemp(join(tmpdir(), 'mortise-hook-'));
    try {
      const file = join(folder, 'hook');
      const text = script.replaceAll('\r\n', '\n');
      await writeFile(file, text.startsWith('#!') ? text : `#!/bin/sh\n${text}`, { mode: 0o700 });
      const cwd = this.deps.store.path(context.repositoryId, context.kind);
      const { code, output, timedOut } = await this.deps.processes.program(file, args, {
        cwd,
        input,
        environment: { ...context.environment, GIT_DIR: cwd, MORTISE_PUSHER: context.pusher },
        timeoutMs: this.deps.timeoutMs ?? timeoutMs,
      });
      return { code, output: timedOut ? `${output}The Git hook timed out.` : output };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

const lines = (updates: readonly RefUpdate[]) =>
  updates.map(({ ref, old, new: next }) => `${old} ${next} ${ref}\n`).join('');
