import type { VNode } from 'preact';
import { icon, lastPage, Pager, type Flash, type FormValues, formText } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { SafeHtml } from '@mortise/markup/api';
import { pathOf, type IssuePageContext, type TimelineEntry, type TimelineLine } from '../api.js';
import { entriesPerPage, readConversation, type ConversationData } from '../services/conversation.js';
import { hasDependencies } from '../services/dependencies.js';
import { commentFiles } from '../services/attachment-kinds.js';
import { readAuthorRoles, type AuthorRoles } from '../services/author-roles.js';
import { badgeAuthors, badgesOf } from './author-badges.js';
import { CommentCard, type CardProps, type WrittenView } from './comment-card.js';
import { CommentForm, type CommentFormProps } from './comment-form.js';
import { EditorTexts } from './editor.js';
import { emojiOf, repositoryPathOf, UserLink, type PageContext, type PageDeps } from './page-context.js';
import { settable, Sidebar, type SidebarProps } from './sidebar.js';
import { t } from '../texts/index.js';

/** A form of the page that was refused, to be shown again with what was written. */
export interface RefusedForm {
  readonly flash: Flash;
  readonly values: FormValues;
  /** The text that was edited; undefined: another form. */
  readonly edited?: number;
  /** The text as it is by now, where somebody else changed it. */
  readonly theirs?: string;
  readonly contentVersion?: number;
}

interface ConversationProps {
  readonly data: ConversationData;
  readonly first: CardProps | undefined;
  readonly shown: readonly (CardProps | { readonly entry: TimelineEntry; readonly line: TimelineLine })[];
  readonly side: SidebarProps;
  readonly end: readonly VNode[];
  readonly form: CommentFormProps;
  readonly pageNumber: number;
}

function Conversation(props: ConversationProps): VNode {
  const { data, first, shown, side, end, form, pageNumber } = props;
  const last = lastPage(data.total, entriesPerPage);
  return (
    <div class="issue-layout">
      <div class="min-width-0">
        {first ? <CommentCard {...first} /> : null}
        <h3 class="sr-only">{t('timeline.title')}</h3>
        {shown.map((one) => ('line' in one ? <Line {...one} /> : <CommentCard {...one} />))}
        <div
          id="issue-news"
          class="issue-news"
          role="status"
          data-issue={side.issue.id}
          data-news={`${side.action}/news?after=${data.knownUntil}`}
          data-last={`${side.page}${last > 1 ? `?page=${last}` : ''}`}
          data-elsewhere={pageNumber < last ? '' : undefined}
          hidden
        />
        <Pager page={pageNumber} last={last} href={(to) => `${side.page}?page=${to}`} />
        {end}
        <CommentForm {...form} />
        <EditorTexts />
      </div>
      <Sidebar {...side} />
    </div>
  );
}

const Line = ({ entry, line }: { entry: TimelineEntry; line: TimelineLine }): VNode => (
  <div class="TimelineItem issue-event" id={`issuecomment-${entry.id}`}>
    <span class={`TimelineItem-badge${line.tone ? ` issue-badge-${line.tone}` : ''}`}>{icon(line.icon)}</span>
    <div class="TimelineItem-body">
      <div class="wb-break-word">{line.text}</div>
      {line.below}
    </div>
  </div>
);

const textIn = (query: unknown, name: string): string | undefined => {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : undefined;
};

/** What the parts of one conversation are made from. */
interface ConversationRequest {
  readonly deps: PageDeps;
  readonly context: PageContext;
  readonly refused: RefusedForm | undefined;
  readonly repositoryPath: string;
  /** Where forms lead, and where they come back to. */
  readonly action: string;
  readonly page: string;
  /** The page's whole address. */
  readonly address: string;
  readonly fullName: string;
  readonly isActive: boolean;
  readonly mayTakePart: boolean;
}

function requestOf(deps: PageDeps, context: PageContext, refused: RefusedForm | undefined): ConversationRequest {
  const { resource, actor } = context;
  const { issue, repository } = resource;
  const repositoryPath = repositoryPathOf(deps.site, repository);
  const isActive = !repository.isArchived;
  return {
    deps,
    context,
    refused,
    repositoryPath,
    action: `${repositoryPath}/issues/${issue.index}`,
    page: `${repositoryPath}/${pathOf(issue)}`,
    address: deps.issueServices.presenter.htmlUrl(repository, issue),
    fullName: `${repository.ownerName}/${repository.name}`,
    isActive,
    mayTakePart: actor.kind === 'user' && isActive && !isLockedFor(context),
  };
}

const isLockedFor = ({ resource }: PageContext): boolean => resource.issue.isLocked && !resource.may('write');

/** What other plugins put at a point, with its order. */
async function slotsOf(point: PageDeps['sidebar'], { context, repositoryPath }: ConversationRequest) {
  const pageContext: IssuePageContext = { context: context.resource, actor: context.actor, repositoryPath };
  const slots = await Promise.all(
    point.list().map(async (slot) => ({ order: slot.order ?? 60, node: await slot.render(pageContext) })),
  );
  return slots.flatMap(({ order, node }) => (node ? [{ order, node }] : []));
}

/** Everybody whom the page names. */
const userIdsOf = (data: ConversationData): number[] => [
  ...new Set([
    ...data.entries.flatMap((entry) => [entry.actorId, ...(entry.kind === 'assignees' ? [entry.subjectId] : [])]),
    ...data.participants,
    ...[...data.hidden.values()].map(({ hiderId }) => hiderId),
    ...[...data.reactions.values()].flat().flatMap((one) => one.userIds.slice(0, 10)),
  ]),
];

/** What can be chosen for the property that is being set. */
async function choicesFor(set: string | undefined, { deps, context }: ConversationRequest, data: ConversationData) {
  const { labels, milestones, deps: services } = deps.issueServices;
  const { repository } = context.resource;
  const [offeredLabels, offeredMilestones, writers] = await Promise.all([
    set === 'labels' ? labels.offered(repository) : [],
    set === 'milestone' ? milestones.offered(repository.id) : [],
    set === 'assignees' ? services.repositoryMembers.writers(repository) : [],
  ]);
  const assignable =
    set === 'assignees'
      ? await deps.accounts.byIds([...new Set([...writers, ...data.assignees])])
      : new Map<number, Account>();
  return { labels: offeredLabels, milestones: offeredMilestones, users: [...assignable.values()] };
}

/** The texts of the page as HTML: that of the issue on the first page, then those of the comments. */
async function renderTexts(
  { deps, context, repositoryPath, fullName }: ConversationRequest,
  written: readonly TimelineEntry[],
) {
  const { issue, repository } = context.resource;
  const branch = encodeURI(repository.defaultBranch);
  const own = context.page.page === 1 ? [issue.body] : [];
  const htmls = await deps.markup.renderAll(
    [...own, ...written.map((entry) => entry.body)],
    {
      kind: 'comment',
      repository: fullName,
      linkBase: `${repositoryPath}/src/branch/${branch}`,
      imageBase: `${repositoryPath}/raw/branch/${branch}`,
      viewer: context,
    },
    own.length,
  );
  return { bodyHtml: own.length ? htmls.shift() : undefined, htmls };
}

type CardText = Pick<WrittenView, 'id' | 'body' | 'createdAt' | 'originalAuthor'> & { readonly authorId: number };

/** Of the accounts that the page names, and what they are in the repository. */
interface CardAuthors {
  readonly users: ReadonlyMap<number, Account>;
  readonly roles: AuthorRoles;
}

function cardOf(
  { deps, context, refused, action, page, address, fullName, isActive, mayTakePart }: ConversationRequest,
  data: ConversationData,
  { users, roles }: CardAuthors,
  one: CardText,
  html: SafeHtml,
): CardProps {
  const { resource, actor, query } = context;
  const { site, issueServices } = deps;
  const editing = refused?.edited === undefined ? textIn(query, 'edit') : String(refused.edited);
  const mayChange = actor.kind === 'user' && isActive && (one.authorId === actor.id || resource.may('write'));
  const isEditing = mayChange && editing === String(one.id);
  const hiding = data.hidden.get(one.id);
  return {
    view: {
      id: one.id,
      author: users.get(one.authorId),
      originalAuthor: one.originalAuthor,
      body: one.body,
      html,
      createdAt: one.createdAt,
      isEdited: data.edited.has(one.id),
      badges: badgesOf(roles, resource.issue, one),
      hidden: hiding && { reason: hiding.reason, hider: users.get(hiding.hiderId)?.name },
      mayHide: actor.kind === 'user' && isActive && one.id !== 0 && resource.may('write'),
      files: data.files.get(one.id) ?? [],
      reactions: data.reactions.get(one.id) ?? [],
      mayChange,
      mayDelete: mayChange && one.id !== 0,
      ...(isEditing && {
        draft: {
          text: refused && refused.edited === one.id ? formText(refused.values, 'body', 1_000_000) : one.body,
          contentVersion: refused?.contentVersion ?? resource.issue.contentVersion,
          ...(refused?.edited === one.id && refused.theirs !== undefined && { theirs: refused.theirs }),
        },
      }),
    },
    action,
    page,
    address,
    path: site.path,
    avatarUrl: deps.avatarUrl,
    users,
    me: actor.kind === 'user' ? actor.id : 0,
    mayReact: mayTakePart,
    allowed: issueServices.reactions.allowed,
    emojiOf: (content) => emojiOf(deps.emojify, content),
    repository: fullName,
    maxBytes: issueServices.deps.attachments.limits(commentFiles).maxBytes,
  };
}

async function commentFormOf(
  { deps, context, refused, action, page, fullName, isActive }: ConversationRequest,
  written: readonly TimelineEntry[],
): Promise<CommentFormProps> {
  const { resource, actor, query } = context;
  const { issue } = resource;
  const me = actor.kind === 'user' ? await deps.accounts.byId(actor.id) : undefined;
  return {
    action,
    repository: fullName,
    text:
      refused && refused.edited === undefined
        ? formText(refused.values, 'body', 1_000_000)
        : quoteOf(textIn(query, 'quote'), issue.body, written),
    maxBytes: deps.issueServices.deps.attachments.limits(commentFiles).maxBytes,
    state: actor.kind !== 'user' ? 'signedOut' : !isActive ? 'archived' : isLockedFor(context) ? 'locked' : 'open',
    signIn: `${deps.site.path('/user/login')}?redirect_to=${encodeURIComponent(page)}`,
    isClosed: issue.isClosed,
    mayClose: resource.may('write') || issue.posterId === actor.id,
    avatar: me && deps.accounts.avatarUrl(me),
  };
}

/** Gathers everything, and gives the conversation with its sidebar. */
export async function conversationOf(deps: PageDeps, context: PageContext, refused?: RefusedForm): Promise<VNode> {
  const request = requestOf(deps, context, refused);
  const { action, page, repositoryPath, isActive } = request;
  const { issueServices, accounts } = deps;
  const { resource, actor, query } = context;
  const { issue, repository } = resource;
  const data = await readConversation(issueServices, issue, actor, context.page.page);
  const mayAdminister = resource.may('admin') && isActive;
  const mayWrite = resource.may('write') && isActive;
  const set = mayWrite ? settable.find((one) => one === textIn(query, 'set')) : undefined;
  const others = [...data.dependsOn, ...data.blocks];
  const [users, repositoriesById, slots, end, choices] = await Promise.all([
    accounts.byIds(userIdsOf(data)),
    others.length
      ? issueServices.deps.repositories.byIds([...new Set(others.map((one) => one.repositoryId))])
      : new Map(),
    slotsOf(deps.sidebar, request),
    slotsOf(deps.end, request),
    choicesFor(set, request, data),
  ]);
  const lines = await linesIn(deps, context, data.entries, repositoryPath, users);
  const written = data.entries.filter((entry) => entry.kind === 'comment');
  const texts = written.map((entry): CardText => ({ ...entry, authorId: entry.actorId }));
  const own = { ...issue, id: 0, authorId: issue.posterId };
  const [{ bodyHtml, htmls }, roles] = await Promise.all([
    renderTexts(request, written),
    readAuthorRoles(issueServices, repository, issue, badgeAuthors([own, ...texts], users)),
  ]);
  const card = (one: CardText, html: SafeHtml) => cardOf(request, data, { users, roles }, one, html);
  const cards = new Map(texts.map((text, at) => [text.id, card(text, htmls[at]!)]));
  const shown = data.entries.flatMap((entry): ConversationProps['shown'] => {
    const own = cards.get(entry.id);
    if (own) return [own];
    const line = lines.get(entry.id);
    return line ? [{ entry, line }] : [];
  });
  return (
    <Conversation
      data={data}
      first={bodyHtml === undefined ? undefined : card(own, bodyHtml)}
      shown={shown}
      end={end.map(({ node }) => node)}
      pageNumber={context.page.page}
      side={{
        deps,
        repository,
        issue,
        data,
        users,
        repositoriesById,
        action,
        page,
        me: actor.kind === 'user' ? actor.id : 0,
        mayWrite,
        mayAdminister,
        hasDependencies: hasDependencies(repository),
        mayPin: mayAdminister,
        ...(set && { set }),
        choices,
        slots,
      }}
      form={await commentFormOf(request, written)}
    />
  );
}

/** A text as what one answers to. */
function quoteOf(id: string | undefined, body: string, written: readonly TimelineEntry[]): string {
  if (id === undefined) return '';
  const text = id === '0' ? body : written.find((entry) => String(entry.id) === id)?.body;
  return text === undefined
    ? ''
    : `${text
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n')}\n\n`;
}

/** The lines of those that are no comments. */
async function linesIn(
  { issueServices, site }: PageDeps,
  { resource, actor }: PageContext,
  entries: readonly TimelineEntry[],
  repositoryPath: string,
  users: ReadonlyMap<number, Account>,
): Promise<ReadonlyMap<number, TimelineLine>> {
  const view = {
    issue: resource.issue,
    actor,
    context: resource.context,
    repositoryPath,
    userLink: (id: number, originalAuthor?: string) => (
      <UserLink account={users.get(id)} originalAuthor={originalAuthor} path={site.path} />
    ),
  };
  const all = new Map<number, TimelineLine>();
  for (const key of new Set(entries.map((entry) => entry.kind))) {
    const kind = issueServices.points.kinds.get(key);
    const own = entries.filter((entry) => entry.kind === key);
    if (kind?.lines) for (const [id, line] of await kind.lines(own, view)) all.set(id, line);
  }
  return all;
}
