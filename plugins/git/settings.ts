import { join, resolve } from 'node:path';
import { Joi, listSetting, splitList } from '@mortise/plugin-sdk';
import { rootFault } from './services/repository-root.js';

/** `[git]`: how git is run and kept in shape. */
export interface GitSettings {
  readonly PATH: string;
  readonly HOME_PATH: string;
  readonly READ_TIMEOUT: number;
  readonly WRITE_TIMEOUT: number;
  readonly CLONE_TIMEOUT: number;
  readonly REMOTE_MAX_SIZE: number;
  readonly READ_PROCESSES: number;
  readonly SHARED_STORAGE: 'auto' | 'true' | 'false';
  readonly SEARCH_PROCESSES: number;
  readonly ALLOWED_REFS: readonly string[];
  readonly CACHE_SIZE: number;
  readonly MAINTENANCE: boolean;
  readonly MAINTENANCE_DELAY: number;
  readonly LOOSE_OBJECTS: number;
  readonly PACK_COUNT: number;
}

/** The key of `[repository]` that is about git. */
interface RootSettings {
  readonly ROOT: string;
}

export const rootSettings = Joi.object<RootSettings>({
  ROOT: Joi.string()
    .allow('')
    .default('')
    .custom((root: string, { prefs, message }) => {
      const { workDir } = (prefs.context ?? {}) as { readonly workDir?: string };
      const fault =
        workDir === undefined ? undefined : rootFault(resolve(workDir, root), [join(workDir, 'repositories')]);
      return fault === undefined ? root : message({ custom: `{{#label}} ${fault.replaceAll('{', '')}` });
    })
    .description(
      'Where repositories lie, relative to the work folder; empty: `repositories` there. The folder is empty, or has those of this site',
    ),
});

/** A storage of `[git.storages]` as it is written: where it lies, relative to the work folder, and its weight. */
export interface StorageSetting {
  readonly path: string;
  readonly weight: number;
}

/** `[git.storages]`: `default` is a weight, every other key a storage. */
interface StorageSettings {
  readonly default: number;
  readonly [name: string]: number | StorageSetting;
}

const weight = Joi.number().integer().min(0).max(1000);

/** `/mnt/disk2 3`; without a number the weight is 1. */
const storageSetting = Joi.string().custom((text: string, { message }) => {
  const [, path = text, given = '1'] = /^(.*\S)\s+(\d+)$/.exec(text.trim()) ?? [];
  const { value, error } = weight.validate(given);
  return error
    ? message({ custom: '{{#label}} has a weight that is not between 0 and 1000' })
    : { path, weight: value as number };
});

export const storageSettings = Joi.object<StorageSettings>({
  default: weight
    .default(1)
    .description(
      'Share of new repositories that [repository] ROOT takes, beside the weights of the other storages. Each further key names one: `fast = /mnt/fast 3` is a folder of its own, for instance a mount, and its weight (default 1; 0: nothing new). Names are of small letters, digits and dashes.',
    ),
}).pattern(/^[a-z][a-z0-9-]{0,30}$/, storageSetting);

/** `refs/changes, refs/x/` → `refs/changes/`, `refs/x/`. */
const prefixesIn = (text: string): string[] =>
  splitList(text).map((word) => {
    const prefix = word.replace(/\/*$/, '/');
    if (!prefix.startsWith('refs/')) throw new Error(`"${word}" does not begin with refs/`);
    return prefix;
  });

export const gitSettings = Joi.object<GitSettings>({
  PATH: Joi.string().allow('').default('').description('The git program; empty: the one found on the search path.'),
  HOME_PATH: Joi.string()
    .allow('')
    .default('')
    .description('The former name of [repository] ROOT, which wins where both are set.'),
  READ_TIMEOUT: Joi.number().integer().min(1).default(60).description('Seconds that a reading git command may take.'),
  WRITE_TIMEOUT: Joi.number().integer().min(1).default(360).description('Seconds that a writing git command may take.'),
  CLONE_TIMEOUT: Joi.number()
    .integer()
    .min(1)
    .default(3600)
    .description('Seconds that copying a whole repository may take.'),
  REMOTE_MAX_SIZE: Joi.number()
    .integer()
    .min(1)
    .default(10_240)
    .description('Megabytes that may come from another server at once, for mirrors and imports.'),
  READ_PROCESSES: Joi.number()
    .integer()
    .min(1)
    .default(16)
    .description('Object reading processes kept open, over all repositories.'),
  SHARED_STORAGE: Joi.string()
    .valid('auto', 'true', 'false')
    .default('auto')
    .description(
      'Several nodes share the repositories over a network file system: the database then tells each when references move. `auto`: where the file system is known to be one.',
    ),
  SEARCH_PROCESSES: Joi.number()
    .integer()
    .min(1)
    .default(2)
    .description('Searches of files and messages that run at once in each worker; others wait for their turn.'),
  ALLOWED_REFS: listSetting('refs/review, refs/bugs, refs/identities', prefixesIn).description(
    'Where pushes may make references besides refs/heads, refs/tags, refs/notes and what plugins declare, separated by commas. The default serves tools that keep reviews and issues in git. Empty opens nothing more; `refs/` opens all that is not reserved, for copies of whole repositories.',
  ),
  CACHE_SIZE: Joi.number().integer().min(1).default(48).description('Megabytes of git objects kept in memory.'),
  MAINTENANCE: Joi.boolean()
    .default(true)
    .description('Keep repositories in shape after pushes (commit graph, packing).'),
  MAINTENANCE_DELAY: Joi.number()
    .integer()
    .min(0)
    .default(30)
    .description('Seconds between a push and its maintenance.'),
  LOOSE_OBJECTS: Joi.number()
    .integer()
    .min(1)
    .default(1000)
    .description('Loose objects from which on they are packed.'),
  PACK_COUNT: Joi.number().integer().min(2).default(20).description('Packs from which on they are put together.'),
});

/** `[migrations]`: which hosts repositories may be brought from and sent to. */
interface RemoteSettings {
  readonly ALLOWED_DOMAINS: readonly string[];
  readonly BLOCKED_DOMAINS: readonly string[];
  readonly ALLOW_LOCALNETWORKS: boolean;
  readonly SKIP_TLS_VERIFY: boolean;
}

export const remoteSettings = Joi.object<RemoteSettings>({
  ALLOWED_DOMAINS: listSetting('').description(
    'Hosts that mirrors and imports may use, separated by commas, with wildcards; empty: all.',
  ),
  BLOCKED_DOMAINS: listSetting('').description('Hosts that mirrors and imports may not use; stands above the others.'),
  ALLOW_LOCALNETWORKS: Joi.boolean()
    .default(false)
    .description('May mirrors and imports use hosts in private networks and on this machine?'),
  SKIP_TLS_VERIFY: Joi.boolean()
    .default(false)
    .description('Take any certificate of the hosts of mirrors and imports.'),
});
