/** Locks (git-lfs, docs/api/locking.md). */
import {
  apiTime,
  BadRequest,
  defineRoute,
  Forbidden,
  type Reply,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { LfsLock } from '../contract/lfs.js';
import type { LfsGate } from '../services/lfs-gate.js';
import { lockPath, type LockService } from '../services/lock-service.js';
import { jsonBody, lfsApi, lfsJson } from './lfs-handler.js';
import { createLockExample, listLocksExample, unlockExample, verifyLocksExample } from './examples.js';
import { access, base, jsonPayload, session } from './objects.js';

interface LockRouteDeps {
  readonly gate: LfsGate;
  readonly locks: LockService;
  readonly accounts: Accounts;
  readonly maxLocks: number;
}

/** A number as clients write them, in text or not. */
function numberOf(value: unknown, what: string): number | undefined {
  if (value === undefined || value === '' || value === null) return undefined;
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (!/^\d{1,15}$/.test(text)) throw BadRequest(`${what} must be a number.`);
  return Number(text);
}

export function lockRoutes({ gate, locks, accounts, maxLocks }: LockRouteDeps): readonly Route[] {
  const present = async (all: readonly LfsLock[]) => {
    const owners = await accounts.byIds([...new Set(all.map(({ ownerId }) => ownerId))]);
    return all.map(({ id, path, ownerId, lockedAt }) => ({
      id: String(id),
      path,
      locked_at: apiTime(lockedAt),
      owner: { name: owners.get(ownerId)?.name ?? 'ghost' },
    }));
  };
  const presentOne = async (lock: LfsLock) => (await present([lock]))[0];
  const limitOf = (value: unknown) => Math.max(1, Math.min(numberOf(value, 'limit') || maxLocks, maxLocks));
  const next = (id: number | undefined) => (id === undefined ? {} : { next_cursor: String(id) });

  const list = async (context: RouteContext): Promise<Reply> => {
    const { repository } = await session(gate, context, 'download', true);
    const { id, path, cursor, limit } = context.query as Record<string, unknown>;
    const page = await locks.list(repository.id, {
      id: numberOf(id, 'id'),
      path: path === undefined || path === '' ? undefined : lockPath(path),
      after: numberOf(cursor, 'cursor'),
      limit: limitOf(limit),
    });
    return lfsJson({ locks: await present(page.locks), ...next(page.next) });
  };

  const create = async (context: RouteContext): Promise<Reply> => {
    const { repository } = await session(gate, context, 'upload', true);
    if (context.actor.kind !== 'user') throw Forbidden('Only users can lock files.');
    const { lock, created } = await locks.create(repository.id, lockPath(jsonBody(context).path), context.actor);
    const shown = { lock: await presentOne(lock) };
    return created ? lfsJson(shown, 201) : lfsJson({ ...shown, message: 'the file is locked already' }, 409);
  };

  const verify = async (context: RouteContext): Promise<Reply> => {
    const { repository } = await session(gate, context, 'upload', true);
    const { cursor, limit } = jsonBody(context);
    const page = await locks.list(repository.id, { after: numberOf(cursor, 'cursor'), limit: limitOf(limit) });
    const mine = (lock: LfsLock) => context.actor.kind === 'user' && lock.ownerId === context.actor.id;
    return lfsJson({
      ours: await present(page.locks.filter(mine)),
      theirs: await present(page.locks.filter((lock) => !mine(lock))),
      ...next(page.next),
    });
  };

  const unlock = async (context: RouteContext): Promise<Reply> => {
    const { repository } = await session(gate, context, 'upload', true);
    const id = numberOf((context.params as { id: string }).id, 'id') ?? 0;
    const lock = await locks.remove(repository.id, id, context.actor, jsonBody(context).force === true);
    return lfsJson({ lock: await presentOne(lock) });
  };

  const route = (
    method: 'GET' | 'POST',
    path: string,
    about: Pick<Route, 'id' | 'summary' | 'examples'>,
    handler: (context: RouteContext) => Promise<Reply>,
  ) =>
    defineRoute({
      method,
      path: `${base}/locks${path}`,
      ...about,
      tags: ['lfs'],
      surface: 'protocol',
      access,
      ...(method === 'POST' ? { payload: jsonPayload } : {}),
      handler: lfsApi(handler),
    });
  return [
    route('GET', '', { id: 'lfsListLocks', summary: 'Locks of files', examples: listLocksExample }, list),
    route('POST', '', { id: 'lfsCreateLock', summary: 'Lock a file', examples: createLockExample }, create),
    route(
      'POST',
      '/verify',
      { id: 'lfsVerifyLocks', summary: "One's own locks and those of others", examples: verifyLocksExample },
      verify,
    ),
    route('POST', '/{id}/unlock', { id: 'lfsUnlock', summary: 'Unlock a file', examples: unlockExample }, unlock),
  ];
}
