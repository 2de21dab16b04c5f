import { Joi, NotFound, type Actor } from '@mortise/plugin-sdk';
import { repositoryApi, repositoryResource, type RepositoryContext } from '@mortise/repositories/api';
import { issueResource, type IssueContext, type IssueSearch } from '../api.js';
import { t } from '../texts/index.js';

export const base = repositoryApi;
export const issuesPath = `${base}/issues` as const;
export const issuePath = `${issuesPath}/{index}` as const;
export const tags = ['issue'];

/** Both kinds have labels, milestones and comments. */
const bothUnits = ['issues', 'pulls'] as const;
/** Of the repository, whichever of its units are on. */
export const readRepository = { actor: 'anyone', scope: 'issue', resource: repositoryResource } as const;
export const writeRepository = { ...readRepository, actor: 'user', unit: bothUnits, mode: 'write' } as const;
export const readIssue = { actor: 'anyone', scope: 'issue', resource: issueResource } as const;
/** Signed in, and able to read it; what else is needed the operation looks at. */
export const useIssue = { ...readIssue, actor: 'user' } as const;
export const writeIssue = { ...useIssue, mode: 'write' } as const;
export const administerIssue = { ...useIssue, mode: 'admin' } as const;

export const timeText = () => Joi.string().allow('', null).description('RFC 3339');

/** Words between commas, each once. */
export const splitList = (text: string | undefined): string[] => [
  ...new Set(
    (text ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
  ),
];

export const stateOf = (state: string | undefined): Pick<IssueSearch, 'isClosed'> =>
  state === 'all' ? {} : { isClosed: state === 'closed' };

/** Which of the two kinds a list of the repository shows; NotFound where the actor may read neither. */
export function kindIn(context: RepositoryContext, type: string | undefined): Pick<IssueSearch, 'isPull'> {
  const seen = { issues: context.may('read', 'issues'), pulls: context.may('read', 'pulls') };
  const asked = type === 'issues' || type === 'pulls' ? type : undefined;
  if (asked ? !seen[asked] : !seen.issues && !seen.pulls) throw NotFound(t.later('error.unitOff'));
  if (asked) return { isPull: asked === 'pulls' };
  return seen.issues && seen.pulls ? {} : { isPull: seen.pulls };
}

/** Is it the actor's own? All jobs act as one account: what one of them wrote is nobody's who may not write. */
export const isAuthor = (actor: Actor, authorId: number, may: IssueContext['may']): boolean =>
  actor.id === authorId && (actor.kind !== 'task' || may('write'));

export const number = Joi.number().integer().positive().required();
