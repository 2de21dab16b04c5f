import { Forbidden, Invalid, Joi, Problem, type RouteContext, type Text } from '@mortise/plugin-sdk';
import { pushResource, type RepositoryContext } from '@mortise/repositories/api';
import type { CommitDraft } from './commit-box.js';
import type { EditTarget } from '../services/target.js';
import { t } from '../texts/index.js';

export type EditorRoute<B = unknown, Q = unknown> = RouteContext<RepositoryContext, { readonly rest?: string }, Q, B>;

/** Only who may write to the code, or to some branch, sees these pages; which branch, {@link EditTargets} looks at. */
export const access = { actor: 'user', resource: pushResource, unit: 'code', mode: 'write' } as const;

/** Characters. */
export const maxPathLength = 1000;
const text = Joi.string().allow('').default('');
/** How long they may be is looked at by {@link commitOf}: a refused form comes back with what was written. */
export const commitFields = {
  summary: text,
  description: text,
  target: Joi.string().valid('direct', 'branch').default('direct'),
  newBranch: text,
  signoff: Joi.string().allow(''),
};

export type CommitFields = {
  readonly summary: string;
  readonly description: string;
  readonly target: 'direct' | 'branch';
  readonly newBranch: string;
  readonly signoff?: string;
};

/** Throws Invalid, for the form to show, when a field holds more than fits. */
export function checkLength(field: Text, text: string, max: number): void {
  if (text.length > max) throw Invalid(t.later('error.tooLong', { field, count: text.length, max: max }));
}

/** What the lower half of a form says; kinds of fields are checked by {@link commitFields}. */
export function draftOf(values: Readonly<Record<string, unknown>>): CommitDraft {
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : '');
  return {
    summary: text('summary').trim(),
    description: text('description').replace(/\r\n?/g, '\n').trim(),
    newBranch: text('newBranch').trim(),
    toNewBranch: values.target === 'branch',
    signoff: values.signoff === 'on',
  };
}

/** The commit's part of a request to change files. */
export function commitOf(target: EditTarget, draft: CommitDraft, fallback: string) {
  if (draft.toNewBranch && !target.mayBranch) throw Forbidden(t.later('error.newBranch'));
  checkLength(t.later('field.summary'), draft.summary, 500);
  checkLength(t.later('field.description'), draft.description, 65_536);
  checkLength(t.later('field.newBranch'), draft.newBranch, 100);
  return {
    branch: target.branch,
    newBranch: draft.toNewBranch ? draft.newBranch || target.proposal : undefined,
    message: [draft.summary || fallback, draft.description].filter(Boolean).join('\n\n'),
    signoff: draft.signoff,
  };
}

/** A refusal that the form shows; faults go on. */
export function refusalOf(error: unknown): Problem {
  if (!Problem.is(error)) throw error;
  return error;
}
