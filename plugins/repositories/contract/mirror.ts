import { Forbidden, definePoint, type Actor, type Joi, type Keyed } from '@mortise/plugin-sdk';
import type { Repository } from './repositories.js';
import { t } from '../texts/index.js';

/** A repository that follows another one, and takes no commits of its own. */
export interface RepositoryMirror {
  /** Milliseconds; 0: only when somebody asks. */
  readonly intervalMs: number;
  /** When it last had all that the other one had; milliseconds since 1970 UTC, 0: never. */
  readonly syncedAt: number;
}

/** As compatible services write durations: `8h0m0s`, `10m0s`, `0s`. */
export function formatInterval(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${h ? `${h}h` : ''}${h || m ? `${m}m` : ''}${s}s`;
}

/** May its code change here? Not that of what is archived, or follows another repository. */
export const takesCommits = ({ isArchived, mirror }: Pick<Repository, 'isArchived' | 'mirror'>): boolean =>
  !isArchived && !mirror;

/** Throws Forbidden for branches of a repository that follows another one. */
export function refuseMirror({ repository }: { readonly repository: Pick<Repository, 'mirror'> }): void {
  if (repository.mirror) throw Forbidden(t.later('error.mirror'));
}

/** Extension point: further fields of `PATCH /repos/{owner}/{repo}`. */
export interface RepositoryEdit extends Keyed {
  readonly body: Readonly<Record<string, Joi.Schema>>;
  /** Throws Invalid for what cannot be; called for every body, before anything changes. */
  check?(body: Readonly<Record<string, unknown>>, repository: Repository): void;
  /** In the transaction of the other changes; not called for bodies without one of the fields. */
  apply(body: Readonly<Record<string, unknown>>, repository: Repository, actor: Actor): Promise<void>;
}
export const repositoryEdits = definePoint.keyed<RepositoryEdit>('repositories.edits');
