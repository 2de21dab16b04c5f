/** A push over HTTP: who pushes, what it may, and repositories that are made by it (REP-09, REP-10). */
import { Readable } from 'node:stream';
import { BadRequest, Forbidden, type Actor } from '@mortise/plugin-sdk';
import type { GitReader, GitStore, RefUpdates } from '@mortise/git/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { GitHttpSettings } from '../settings.js';
import { peek, type Transfers } from './transfer.js';
import type { Creation, Visit, Visits } from './visit.js';

export interface PushParts {
  readonly visits: Visits;
  readonly transfers: Transfers;
  readonly store: GitStore;
  readonly reader: GitReader;
  readonly updates: RefUpdates;
  readonly repositories: Repositories;
  readonly access: RepositoryAccess;
  readonly settings: Readonly<GitHttpSettings>;
}

export class Pushes {
  constructor(private readonly parts: PushParts) {}

  async receive(
    found: Visit | Creation,
    actor: Actor,
    body: Readable,
    protocol: string | undefined,
  ): Promise<Readable> {
    const { store, reader, updates, transfers, settings } = this.parts;
    const { body: rest, head } = await readHead(body);
    const visit = 'name' in found ? await this.make(found, actor, head) : found;
    const { repository } = visit.context;
    await store.create(
      repository.id,
      { defaultBranch: repository.defaultBranch, objectFormat: repository.objectFormat },
      visit.kind,
    );
    await updates.repair(repository.id, visit.kind);
    const session = updates.openPush({
      repositoryId: repository.id,
      kind: visit.kind,
      pusher: actor,
      source: 'http',
      before: async () => {
        this.parts.visits.mayPush(visit);
        // git refuses references of pull requests one by one, and forgets that all or nothing was asked for
        if (head.isAtomic && head.refs.some((ref) => ref.startsWith('refs/pull/')))
          throw Forbidden('references of pull requests belong to the server');
      },
    });
    return transfers.receivePack(reader.open(repository.id, visit.kind), rest, {
      protocol,
      session,
      maxBytes: settings.MAX_PUSH_SIZE,
    });
  }

  /** The options of the push that makes a repository decide about it; on any other push they mean nothing. */
  private async make({ owner, name }: Creation, actor: Actor, head: PushHead): Promise<Visit> {
    const options = parsePushOptions(head.options);
    const isPrivate = flag(options, 'repo.private') ?? this.parts.settings.DEFAULT_PUSH_CREATE_PRIVATE;
    const isTemplate = flag(options, 'repo.template') ?? false;
    const repository = await this.parts.repositories.create(owner, { name, isPrivate, isTemplate }, actor);
    return { context: await this.parts.access.context(actor, repository), kind: 'code' };
  }
}

/** Commands and options come before the pack; heads longer than this are left to git. */
const longestHead = 256 * 1024;

interface PushHead {
  readonly refs: readonly string[];
  readonly isAtomic: boolean;
  readonly options: readonly string[];
}
const unknownHead: PushHead = { refs: [], isAtomic: false, options: [] };

/** What a push wants, read before git does; the body still holds it. */
async function readHead(source: Readable): Promise<{ head: PushHead; body: Readable }> {
  let found: PushHead | undefined;
  const { head, ended } = await peek(
    source,
    (bytes) => (found = headOf(bytes)) !== undefined || bytes.length > longestHead,
  );
  if (!ended && head.length) source.unshift(head);
  return {
    head: found ?? unknownHead,
    body: ended ? Readable.from(head.length ? [head] : [], { objectMode: false }) : source,
  };
}

/** Undefined: the end of it has not come yet. */
function headOf(bytes: Buffer): PushHead | undefined {
  const sections: string[][] = [[]];
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = parseInt(bytes.toString('latin1', at, at + 4), 16);
    if (Number.isNaN(length) || (length > 0 && length < 4)) return unknownHead;
    if (length > 0) {
      if (at + length > bytes.length) return undefined;
      sections.at(-1)?.push(bytes.toString('utf8', at + 4, at + length).replace(/\n$/, ''));
      at += length;
      continue;
    }
    at += 4;
    const [commands = [], options] = sections;
    const able = commands[0]?.split('\0')[1]?.split(' ') ?? [];
    if (able.includes('push-options') && !options) sections.push([]);
    else {
      const refs = commands.map((line) => (line.split('\0')[0] ?? '').split(' ').slice(2).join(' '));
      return { refs, isAtomic: able.includes('atomic'), options: options ?? [] };
    }
  }
  return undefined;
}

/** `name=value`, or `name` alone, which is true. */
function parsePushOptions(options: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    options.map((option) => option.split(/=(.*)/s)).map(([name = '', value = 'true']) => [name.trim(), value]),
  );
}

function flag(options: ReadonlyMap<string, string>, name: string): boolean | undefined {
  const value = options.get(name)?.toLowerCase();
  if (value === undefined) return undefined;
  if (['', 'true', '1', 'yes', 'on', 't'].includes(value)) return true;
  if (['false', '0', 'no', 'off', 'f'].includes(value)) return false;
  throw BadRequest(`the push option ${name} is neither true nor false`);
}
