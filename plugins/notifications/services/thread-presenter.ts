import { Joi, apiTime, type Actor, type PointReader, type Site, type Text } from '@mortise/plugin-sdk';
import { pathOf, unitOf, type Issue, type IssueModelFields, type Issues } from '@mortise/issues/api';
import { repositorySchema, type Repositories, type Repository, type RepositoryAccess } from '@mortise/repositories/api';
import type { Notification, NotificationSubject, RepositorySubjectKind } from '../contract/notifications.js';
import { isRepositorySubject } from '../models/subject-key.js';
import type { SubjectKinds } from './subjects.js';

const text = () => Joi.string().allow('').required();

const subjectSchema = Joi.object({
  title: text(),
  url: text(),
  latest_comment_url: text(),
  html_url: text(),
  latest_comment_html_url: text(),
  type: Joi.string()
    .required()
    .description('Issue, Pull, Commit or Repository, or what else plugins notify of, such as Project'),
  state: Joi.string().valid('', 'open', 'closed', 'merged').required(),
}).label('NotificationSubject');

export const threadSchema: Joi.ObjectSchema<object> = Joi.object({
  id: Joi.number().integer().required(),
  repository: repositorySchema
    .allow(null)
    .required()
    .description('null: it may not be read any more, or the subject belongs to no repository'),
  subject: subjectSchema.allow(null).required().description('null: it may not be read any more'),
  unread: Joi.boolean().required(),
  pinned: Joi.boolean().required(),
  updated_at: Joi.string().isoDate().required(),
  url: text(),
}).label('NotificationThread');

export const threadListSchema = Joi.array().items(threadSchema).label('NotificationThreadList');

type SubjectState = '' | 'open' | 'closed' | 'merged';

const types: Readonly<Record<RepositorySubjectKind, string>> = {
  issue: 'Issue',
  pull: 'Pull',
  commit: 'Commit',
  repository: 'Repository',
};

/** A thread with what it is about; nothing of what the actor may not read. */
export interface Thread {
  readonly notification: Notification;
  readonly repository?: Repository;
  readonly issue?: Issue;
  /** Outside of repositories. */
  readonly subject?: NotificationSubject & { readonly apiType: string; readonly icon: string; readonly label: Text };
  readonly state: SubjectState;
  readonly title: string;
  /** Below the page of the repository, empty: that page; of a `subject`, below the root of the site. */
  readonly path: string;
}

/** Of what it is about, below the root of the site: at the comment where there is one. */
export function threadPath({ notification, repository, issue, path }: Thread): string {
  if (!repository) return path;
  const anchor = issue && notification.commentId ? `#issuecomment-${notification.commentId}` : '';
  return `/${repository.ownerName}/${repository.name}${path && `/${path}`}${anchor}`;
}

/** Makes threads and their models; one batch of queries however many. */
export class ThreadPresenter {
  constructor(
    private readonly deps: {
      readonly site: Site;
      readonly issues: Issues;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly fields: PointReader<IssueModelFields>;
      readonly subjectKinds: SubjectKinds;
    },
  ) {}

  async threads(list: readonly Notification[], actor: Actor): Promise<Thread[]> {
    const { issues, repositories, repositoryAccess } = this.deps;
    const [repositoriesById, found] = await Promise.all([
      repositories.byIds([...new Set(list.map((one) => one.repositoryId))].filter(Boolean)),
      issues.byIds(list.map((one) => one.issueId).filter(Boolean)),
    ]);
    const rights = await repositoryAccess.contexts(actor, [...repositoriesById.values()]);
    const merged = await this.merged(
      [...found.values()].filter((issue) => issue.isPull),
      actor,
    );
    const subjects = await this.#subjects(list, actor);
    return list.map((notification) => {
      const { kind, repositoryId, issueId, sha } = notification;
      const repository = repositoriesById.get(repositoryId);
      const issue = found.get(issueId);
      const nothing: Thread = { notification, state: '', title: '', path: '' };
      const subject = subjects.get(notification);
      if (subject) return { notification, subject, state: subject.state, title: subject.title, path: subject.path };
      const unit = issue ? unitOf(issue) : kind === 'commit' ? 'code' : undefined;
      if (!repository || !rights.get(repositoryId)?.may('read', unit)) return nothing;
      if (issue) {
        const state = merged.has(issue.id) ? 'merged' : issue.isClosed ? 'closed' : 'open';
        return { notification, repository, issue, state, title: issue.title, path: pathOf(issue) };
      }
      if (kind === 'commit') return { ...nothing, repository, title: sha, path: `commit/${sha}` };
      return { ...nothing, repository, title: `${repository.ownerName}/${repository.name}` };
    });
  }

  async toApi(list: readonly Notification[], actor: Actor) {
    const { repositories, site } = this.deps;
    const threads = await this.threads(list, actor);
    const repositoriesById = new Map(
      threads.flatMap(({ repository }) => (repository ? [[repository.id, repository]] : [])),
    );
    const models = new Map(
      (await repositories.toApi([...repositoriesById.values()], actor)).map((model) => [model.id, model] as const),
    );
    return threads.map((thread) => {
      const { id, status, updatedAt, repositoryId } = thread.notification;
      return {
        id,
        repository: (thread.repository && models.get(repositoryId)) ?? null,
        subject: this.#subject(thread),
        unread: status === 'unread',
        pinned: status === 'pinned',
        updated_at: apiTime(updatedAt),
        url: site.url(`/api/v1/notifications/threads/${id}`),
      };
    });
  }

  /** What is outside of repositories: each kind is asked once. */
  async #subjects(list: readonly Notification[], actor: Actor) {
    const subjects = new Map<Notification, NonNullable<Thread['subject']>>();
    const outside = list.filter(({ kind }) => !isRepositorySubject(kind));
    for (const name of new Set(outside.map(({ kind }) => kind))) {
      const kind = this.deps.subjectKinds.get(name);
      const ofKind = outside.filter((one) => one.kind === name);
      const found = await kind?.find([...new Set(ofKind.map(({ subjectId }) => subjectId))], actor);
      for (const one of ofKind) {
        const subject = found?.get(one.subjectId);
        if (kind && subject)
          subjects.set(one, { ...subject, apiType: kind.apiType, icon: kind.icon, label: kind.label });
      }
    }
    return subjects;
  }

  #subject({ notification: { kind, commentId, sha }, repository, issue, subject, state, title, path }: Thread) {
    if (subject) return this.#outsideSubject(subject);
    if (!repository) return null;
    const { repositories } = this.deps;
    const [api, page] = [repositories.apiUrl(repository), repositories.htmlUrl(repository)];
    const apiUrl = kind === 'commit' ? `${api}/git/commits/${sha}` : path ? `${api}/${path}` : api;
    return {
      title,
      url: apiUrl,
      latest_comment_url: issue && commentId ? `${api}/issues/comments/${commentId}` : '',
      html_url: path ? `${page}/${path}` : page,
      latest_comment_html_url: issue && commentId ? `${page}/${path}#issuecomment-${commentId}` : '',
      type: isRepositorySubject(kind) ? types[kind] : kind,
      state,
    };
  }

  #outsideSubject({ apiPath, apiType, path, state, title }: NonNullable<Thread['subject']>) {
    const { site } = this.deps;
    return {
      title,
      url: site.url(apiPath),
      latest_comment_url: '',
      html_url: site.url(path),
      latest_comment_html_url: '',
      type: apiType,
      state,
    };
  }

  /** Ids of the pull requests that are merged: their plugin says so in the model of the issue. */
  async merged(pulls: readonly Issue[], actor: Actor): Promise<ReadonlySet<number>> {
    if (pulls.length === 0) return new Set();
    const fields = await Promise.all(this.deps.fields.list().map((one) => one.fields(pulls, actor)));
    return new Set(
      pulls.filter(({ id }) => fields.some((of) => isMerged(of.get(id)?.pull_request))).map(({ id }) => id),
    );
  }
}

const isMerged = (model: unknown): boolean =>
  typeof model === 'object' && model !== null && 'merged' in model && model.merged === true;
