import { actOrigins, type ActOrigin, type AuditedAct, type Database } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import { EntryRow, type Way } from '../models/entry.js';

const maxName = 255;
/** Characters of JSON. */
const maxDetails = 2000;

/** Plugins whose protocol is git's. */
const gitPlugins = new Set(['git-http', 'git-ssh', 'lfs']);

/** Sockets that take both kinds of addresses write IPv4 as IPv6. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

function wayOf(origin: ActOrigin | undefined): Way {
  if (!origin) return 'background';
  if (gitPlugins.has(origin.plugin)) return 'git';
  return origin.surface === 'ssh' ? 'protocol' : origin.surface;
}

interface RecorderDeps {
  readonly accounts: Accounts;
  readonly database: Database;
  readonly repositories: Repositories;
}

/** Stores acts in their own transactions, with the names that everything has at the moment. */
export class Recorder {
  constructor(private readonly deps: RecorderDeps) {}

  async record(act: AuditedAct): Promise<void> {
    const { accounts, database, repositories } = this.deps;
    const { action, target, details = {} } = act;
    const origin = actOrigins.current();
    const repository = act.repositoryId ? await repositories.byId(act.repositoryId) : undefined;
    const actorId = act.actorId ?? origin?.actor.id ?? 0;
    const userId = act.userId ?? 0;
    const ownerId = act.ownerId ?? repository?.ownerId ?? 0;
    const names = await accounts.byIds([...new Set([actorId, userId, ownerId])].filter((id) => id > 0));
    const nameOf = (id: number) => names.get(id)?.name ?? '';
    // who signs in was nobody when the request began: what the request came with says nothing of them
    const credential = origin && origin.actor.id === actorId ? origin.actor : undefined;
    await database.query(EntryRow).insert({
      created_at: Date.now(),
      action,
      actor_id: actorId,
      actor_name: (nameOf(actorId) || credential?.name || '').slice(0, maxName),
      sudo_by: credential?.sudoBy ?? 0,
      way: wayOf(origin),
      method: credential?.method ?? '',
      credential_id: credential?.credentialId ?? 0,
      address: plainAddress(act.remoteAddress ?? origin?.remoteAddress ?? '').slice(0, 64),
      user_id: userId,
      user_name: nameOf(userId) || (target.kind === 'user' && target.id === userId ? target.name : ''),
      owner_id: ownerId,
      owner_name: nameOf(ownerId) || (target.kind === 'organization' && target.id === ownerId ? target.name : ''),
      repository_id: act.repositoryId ?? 0,
      repository_name: repository
        ? `${repository.ownerName}/${repository.name}`
        : target.kind === 'repository'
          ? target.name.slice(0, maxName)
          : '',
      target_kind: target.kind,
      target_id: target.id ?? 0,
      target_name: target.name.slice(0, maxName),
      details: JSON.stringify(details).length > maxDetails ? { truncated: true } : details,
    });
  }
}
