/** The public contract of `git-http`: who else may refuse git traffic over HTTP. */
import { definePoint, type Actor, type Keyed } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';

export interface GitVisit {
  readonly actor: Actor;
  readonly context: RepositoryContext;
  readonly kind: 'code' | 'wiki';
  readonly service: 'upload-pack' | 'receive-pack';
}

/** Extension point: refuses a visit by throwing a Problem (a mirror takes no pushes, a quota is used up). */
export interface GitVisitCheck extends Keyed {
  readonly order?: number;
  check(visit: GitVisit): Promise<void>;
}
export const gitVisitChecks = definePoint.keyed<GitVisitCheck>('git-http.visitChecks');
