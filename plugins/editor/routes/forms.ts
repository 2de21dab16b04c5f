import { Joi, Problem, type RouteContext } from '@mortise/plugin-sdk';
import { repositorySubject, type RepositoryContext } from '@mortise/repositories/api';
import type { CommitDraft } from '../pages/commit-box.js';
import type { Visit } from '../services/visit.js';

export type EditorRoute = RouteContext<RepositoryContext>;

/** Only who may write to the code sees these pages. */
export const access = { actor: 'user', subject: repositorySubject, unit: 'code', mode: 'write' } as const;

export const commitFields = {
  summary: Joi.string().allow('').max(500).default(''),
  description: Joi.string().allow('').max(65_536).default(''),
  target: Joi.string().valid('direct', 'branch').default('direct'),
  newBranch: Joi.string().allow('').max(100).default(''),
  signoff: Joi.string().allow(''),
};

/** What the lower half of a form says; fields are checked by {@link commitFields}. */
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
export const commitOf = (visit: Visit, draft: CommitDraft, fallback: string) => ({
  branch: visit.branch,
  newBranch: draft.toNewBranch ? draft.newBranch || visit.proposal : undefined,
  message: [draft.summary || fallback, draft.description].filter(Boolean).join('\n\n'),
  signoff: draft.signoff,
});

/** A refusal that the form shows; faults go on. */
export function refusalOf(error: unknown): Problem {
  if (!Problem.is(error)) throw error;
  return error;
}
