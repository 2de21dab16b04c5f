import { defineEvent } from '@mortise/plugin-sdk';

interface Happened {
  readonly projectId: number;
  /** 0: the board is of an account. */
  readonly repositoryId: number;
  /** 0: the board is of a repository. */
  readonly ownerId: number;
  readonly actorId: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

/** What became of a board. Subscribe `within` for what must be there with the change. */
export interface ProjectEvent extends Happened {
  readonly action: 'created' | 'edited' | 'closed' | 'reopened' | 'deleted';
  readonly title: string;
  /** Of `edited`: what it was before. */
  readonly before?: { readonly title?: string; readonly description?: string };
  /** Of `deleted`: the record as it was. */
  readonly record?: Readonly<Record<string, unknown>>;
}
export const projectChanged = defineEvent<ProjectEvent>('projects.changed');

export interface ProjectColumnEvent extends Happened {
  readonly action: 'created' | 'edited' | 'moved' | 'deleted';
  readonly columnId: number;
  readonly title: string;
  /** Of `edited`: what it was before. */
  readonly before?: { readonly title?: string };
  /** Of `deleted`: the record as it was. */
  readonly record?: Readonly<Record<string, unknown>>;
}
export const projectColumnChanged = defineEvent<ProjectColumnEvent>('projects.columnChanged');

export interface ProjectCardEvent extends Happened {
  readonly action: 'created' | 'edited' | 'moved' | 'deleted';
  readonly cardId: number;
  readonly issueId: number;
  readonly columnId: number;
  /** Of `moved`: the column that it stood in; the same where it only changed its position there. */
  readonly fromColumnId?: number;
  /** Of `deleted`: the record as it was. */
  readonly record?: Readonly<Record<string, unknown>>;
}
export const projectCardChanged = defineEvent<ProjectCardEvent>('projects.cardChanged');
