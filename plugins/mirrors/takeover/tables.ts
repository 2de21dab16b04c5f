import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Problem,
  skippedRow,
  targetRow,
  type SourceRow,
  type TakeoverContext,
  type TableMapping,
} from '@mortise/plugin-sdk';
import type { GitRemotes, RemoteAddress } from '@mortise/git/api';
import { PullMirrorRow } from '../models/pull-mirror.js';
import { PushMirrorRow } from '../models/push-mirror.js';
import type { CredentialCipher } from '../services/credentials.js';
import { maxIntervalMs } from '../services/interval.js';
import { credentialsOf } from '../services/mirror-address.js';
import { cutError } from '../services/runs.js';
import { remoteUrlIn } from './git-config.js';

interface MirrorTakeoverDeps {
  readonly credentials: CredentialCipher;
  readonly remotes: Pick<GitRemotes, 'parse'>;
}

const maxConfigBytes = 1024 * 1024;
const nanosecondsPerMillisecond = 1_000_000;
const millisecondsPerHour = 3_600_000;
const noAddress = 'its address is missing, or none of those that mirrors have here';
const related = {
  repository: { table: 'repository', column: 'id', localColumn: 'repo_id' },
  owner: { table: 'user', column: 'id', localColumn: 'owner_id', via: 'repository', columns: ['name'] },
};

/** In nanoseconds there; Gogs has hours. */
function intervalOf(row: SourceRow, { isGogs }: TakeoverContext): number {
  const interval = row.number('interval');
  const milliseconds = isGogs ? interval * millisecondsPerHour : Math.round(interval / nanosecondsPerMillisecond);
  return Math.min(Math.max(0, milliseconds), maxIntervalMs);
}

/** Path of the bare repository there, without its ending; undefined where the names are not those of folders. */
function folderOf(row: SourceRow, context: TakeoverContext): string | undefined {
  const name = row.related('repository')[0]?.text('name') ?? '';
  // Gogs, and early versions, have the name of the owner nowhere else
  const owner = row.related('repository')[0]?.text('owner_name') || (row.related('owner')[0]?.text('name') ?? '');
  const isName = (text: string) => /^[\w.-]{1,100}$/.test(text) && !/^\.+$/.test(text);
  if (!isName(owner) || !isName(name)) return undefined;
  return join(context.folder('repositories'), owner.toLowerCase(), name.toLowerCase());
}

/** The whole address stands in the configuration of the repository; that of the row has no password. */
async function addressIn(row: SourceRow, remote: string, context: TakeoverContext): Promise<string> {
  const folder = folderOf(row, context);
  const file = folder && `${folder}.git/config`;
  const stats = file ? await lstat(file).catch(() => undefined) : undefined;
  const isReadable = stats?.isFile() === true && stats.size <= maxConfigBytes;
  return (file && isReadable && remoteUrlIn(await readFile(file, 'utf8'), remote)) || row.text('remote_address');
}

function parsed({ remotes }: MirrorTakeoverDeps, text: string): RemoteAddress | undefined {
  try {
    return remotes.parse(text, ['http', 'https', 'git']);
  } catch (error) {
    if (!Problem.is(error)) throw error;
    return undefined;
  }
}

const pull = (deps: MirrorTakeoverDeps): TableMapping => ({
  id: 'mirrors.pull',
  table: 'mirror',
  idTable: PullMirrorRow,
  references: { repository_id: 'repositories.repositories' },
  related,
  async map(row, context) {
    const address = parsed(deps, await addressIn(row, 'origin', context));
    if (!address) return skippedRow(noAddress);
    if (row.text('lfs_endpoint') !== '') context.report('mirrors take large files from the address of the repository');
    const wiki = folderOf(row, context);
    return targetRow(PullMirrorRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      remote_url: address.url,
      credentials: deps.credentials.encrypt(credentialsOf(address, {})),
      interval: intervalOf(row, context),
      branches: '',
      lfs: row.flag('lfs_enabled'),
      prune: row.flag('enable_prune'),
      wiki:
        wiki !== undefined &&
        (await lstat(`${wiki}.wiki.git`).then(
          () => true,
          () => false,
        )),
      failures: 0,
      last_error: '',
      last_run_at: row.time('updated_unix'),
      last_success_at: row.time('updated_unix'),
      next_run_at: intervalOf(row, context) === 0 ? 0 : row.time('next_update_unix'),
      created_at: row.related('repository')[0]?.time('created_unix') ?? 0,
    });
  },
});

const push = (deps: MirrorTakeoverDeps): TableMapping => ({
  id: 'mirrors.push',
  table: 'push_mirror',
  idTable: PushMirrorRow,
  references: { repository_id: 'repositories.repositories' },
  related,
  async map(row, context) {
    const address = parsed(deps, await addressIn(row, row.text('remote_name'), context));
    if (!address) return skippedRow(noAddress);
    const interval = intervalOf(row, context);
    return targetRow(PushMirrorRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      name: row.text('remote_name', 40),
      remote_url: address.url,
      credentials: deps.credentials.encrypt(credentialsOf(address, {})),
      interval,
      branches: '',
      lfs: true,
      sync_on_commit: row.flag('sync_on_commit'),
      public_key: '',
      known_hosts: '',
      failures: row.text('last_error') === '' ? 0 : 1,
      last_error: cutError(row.text('last_error')),
      last_run_at: row.time('last_update'),
      last_success_at: row.text('last_error') === '' ? row.time('last_update') : 0,
      next_run_at: interval === 0 ? 0 : row.time('last_update') + interval,
      created_at: row.time('created_unix'),
    });
  },
});

export const tables = (deps: MirrorTakeoverDeps): readonly TableMapping[] => [pull(deps), push(deps)];
