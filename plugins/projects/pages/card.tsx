import type { VNode } from 'preact';
import { formatDate, icon } from '@mortise/plugin-sdk';
import { pathOf, type Issue, type IssueStyle, type Label } from '@mortise/issues/api';
import { repositoryHome } from '@mortise/repositories/api';
import type { ProjectCard, ProjectContext } from '../contract/projects.js';
import type { CardDetails } from './card-details.js';
import type { PageDeps } from './frame.js';
import { t } from '../texts/index.js';

/** What cards need to be drawn. */
export interface CardView extends ProjectContext {
  readonly deps: PageDeps;
  /** Path of the board. */
  readonly path: string;
  readonly details: CardDetails;
  readonly mayMove: boolean;
  /** Of the address, kept by links to the page of a card. */
  readonly query: string;
}

const styleOf = (issue: Issue): IssueStyle => {
  const kind = issue.isPull ? 'git-pull-request' : 'issue';
  const name = issue.isPull
    ? issue.isClosed
      ? `${kind}-closed`
      : kind
    : `${kind}-${issue.isClosed ? 'closed' : 'opened'}`;
  return {
    icon: name,
    tone: issue.isClosed ? (issue.isPull ? 'closed' : 'done') : 'open',
    label: issue.isClosed ? t('state.closed') : t('state.open'),
  };
};
const tones = { open: 'color-fg-open', closed: 'color-fg-closed', done: 'color-fg-done', muted: 'color-fg-muted' };

export const StateIcon = ({ issue, details }: { issue: Issue; details: CardDetails }): VNode => {
  const style = details.styles.get(issue.id)?.() ?? styleOf(issue);
  return (
    <span class={tones[style.tone]} title={style.label}>
      {icon(style.icon)}
      <span class="sr-only">{style.label}</span>
    </span>
  );
};

/** The name beside a dot of the colour, which can be read on every colour. */
export const LabelName = ({ label, deps }: { label: Label; deps: PageDeps }): VNode => (
  <span class="project-label">
    <span class="project-dot" style={`background:#${label.color}`} aria-hidden="true" />
    <span dir="auto">{deps.markup.emojify(label.name)}</span>
  </span>
);

export const Assignees = ({ issue, view }: { issue: Issue; view: Pick<CardView, 'deps' | 'details'> }): VNode => {
  const { accounts } = view.deps.services.deps;
  return (
    <>
      {(view.details.assignees.get(issue.id) ?? []).slice(0, 4).map((account) => (
        <img
          key={account.id}
          class="avatar"
          src={accounts.avatarUrl(account)}
          width={20}
          height={20}
          alt={account.name}
          title={account.name}
        />
      ))}
    </>
  );
};

/** Number of the issue; on boards of accounts with the repository. */
export const numberOf = (issue: Issue, { scope, details }: Pick<CardView, 'scope' | 'details'>): string => {
  const home = scope.repository ? undefined : details.repositories.get(issue.repositoryId);
  return `${home ? `${home.ownerName}/${home.name}` : ''}#${issue.index}`;
};

export const IssueTitle = ({ issue, view }: { issue: Issue; view: Pick<CardView, 'deps' | 'details'> }): VNode => {
  const home = view.details.repositories.get(issue.repositoryId);
  return (
    <a
      class="Link--primary wb-break-word"
      href={home ? `${repositoryHome(view.deps.site, home)}/${pathOf(issue)}` : '#'}
      dir="auto"
    >
      {view.deps.markup.emojify(issue.title)}
    </a>
  );
};

/** One card; nothing where its issue went a moment ago. */
export function Card({ card, view }: { card: ProjectCard; view: CardView }): VNode | null {
  const { details, path, query, mayMove, deps } = view;
  const issue = details.issues.get(card.issueId);
  if (!issue) return null;
  const milestone = details.milestones.get(issue.milestoneId);
  const labels = details.labels.get(issue.id) ?? [];
  return (
    <li class="project-card" data-card={card.id} data-issue={issue.id}>
      <div class="d-flex gap-2">
        <StateIcon issue={issue} details={details} />
        <div class="flex-auto min-width-0">
          <IssueTitle issue={issue} view={view} />
        </div>
        {mayMove ? (
          <a
            class="btn-octicon p-1 flex-self-start"
            data-card-menu
            href={`${path}/cards/${issue.id}${query ? `?${query}` : ''}`}
            aria-label={t('card.menuOf', { title: issue.title })}
          >
            {icon('kebab-horizontal')}
          </a>
        ) : null}
      </div>
      {(details.images.get(issue.id) ?? []).map((image) => (
        <img
          key={image.id}
          class="project-image"
          src={image.externalUrl || deps.site.path(`/attachments/${image.uuid}`)}
          alt={image.name}
          loading="lazy"
        />
      ))}
      <div class="project-properties f6 color-fg-muted">
        <span>{numberOf(issue, view)}</span>
        {milestone ? (
          <span dir="auto">
            {icon('milestone')} {milestone.title}
          </span>
        ) : null}
        {issue.dueAt ? (
          <span>
            {icon('calendar')} {formatDate(issue.dueAt)}
          </span>
        ) : null}
        {labels.map((label) => (
          <LabelName key={label.id} label={label} deps={deps} />
        ))}
        <Assignees issue={issue} view={view} />
      </div>
    </li>
  );
}
