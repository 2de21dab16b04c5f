import type { VNode } from 'preact';
import { Csrf, icon, lastPage, Pager, type Flash, type FormValues, formText } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { SafeHtml } from '@mortise/markup/api';
import { pathOf, type IssuePageContext, type TimelineEntry, type TimelineLine } from '../api.js';
import { entriesPerPage, readConversation, type ConversationData } from '../services/conversation.js';
import { hasDependencies } from '../services/dependencies.js';
import { commentFiles } from '../services/attachment-kinds.js';
import { CommentCard, type CardProps, type WrittenView } from './comment-card.js';
import { EditorTexts, TextEditor } from './editor.js';
import { emojiOf, repositoryPathOf, UserLink, Avatar, type PageContext, type PageDeps } from './page-context.js';
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

interface CommentFormProps {
  readonly action: string;
  readonly csrf: string;
  readonly repository: string;
  readonly text: string;
  readonly maxBytes: number | undefined;
  readonly state: 'signedOut' | 'locked' | 'archived' | 'open';
  readonly signIn: string;
  readonly isClosed: boolean;
  readonly mayClose: boolean;
  readonly avatar: string | undefined;
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

function CommentForm(props: CommentFormProps): VNode {
  const { state, action, csrf, isClosed } = props;
  if (state !== 'open')
    return (
      <p class="Box p-3 mt-3 color-fg-muted" id="comment-form">
        {state === 'signedOut'
          ? t.rich('form.signIn', { link: (text) => <a href={props.signIn}>{text}</a> })
          : state === 'locked'
            ? t('error.locked')
            : t('form.archived')}
      </p>
    );
  return (
    <section class="d-flex gap-3 mt-3" id="comment-form" aria-label={t('form.title')}>
      <div class="d-none d-md-block flex-shrink-0">{props.avatar ? <Avatar src={props.avatar} size={40} /> : null}</div>
      <form
        class="Box p-3 flex-auto min-width-0"
        method="post"
        action={`${action}/comments`}
        encType="multipart/form-data"
      >
        <Csrf token={csrf} />
        <TextEditor
          id="comment-body"
          name="body"
          label={t('form.title')}
          value={props.text}
          repository={props.repository}
          files={{ maxBytes: props.maxBytes }}
          hidden={false}
        />
        <div class="d-flex flex-wrap flex-justify-end gap-2">
          {props.mayClose ? (
            <button class="btn" type="submit" name="action" value={isClosed ? 'reopen' : 'close'}>
              {isClosed ? t('form.reopen') : t('form.close')}
            </button>
          ) : null}
          <button class="btn btn-primary" type="submit" name="action" value="comment">
            {t('form.comment')}
          </button>
        </div>
      </form>
    </section>
  );
}

const textIn = (query: unknown, name: string): string | undefined => {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : undefined;
};

/** Gathers everything, and gives the conversation with its sidebar. */
export async function conversationOf(deps: PageDeps, context: PageContext, refused?: RefusedForm): Promise<VNode> {
  const { issueServices, accounts, site, markup } = deps;
  const { resource, actor, query } = context;
  // nobody who is not signed in gets a form here, and so needs no cookie for its token
  const csrf = actor.kind === 'user' ? context.csrf : '';
  const { issue, repository } = resource;
  const { labels, milestones } = issueServices;
  const { repositoryMembers, repositories, attachments } = issueServices.deps;
  const repositoryPath = repositoryPathOf(site, repository);
  const action = `${repositoryPath}/issues/${issue.index}`;
  const page = `${repositoryPath}/${pathOf(issue)}`;
  const pageNumber = context.page.page;
  const fullName = `${repository.ownerName}/${repository.name}`;
  const data = await readConversation(issueServices, issue, actor, pageNumber);
  const isActive = !repository.isArchived;
  const mayWrite = resource.may('write') && isActive;
  const mayAdminister = resource.may('admin') && isActive;
  const set = mayWrite ? settable.find((one) => one === textIn(query, 'set')) : undefined;
  const others = [...data.dependsOn, ...data.blocks];

  const pageContext: IssuePageContext = { context: resource, actor, csrf, repositoryPath };
  const slots = async (point: PageDeps['sidebar']) =>
    (
      await Promise.all(
        point.list().map(async (slot) => ({ order: slot.order ?? 60, node: await slot.render(pageContext) })),
      )
    ).flatMap(({ order, node }) => (node ? [{ order, node }] : []));
  const personIds = new Set([
    ...data.entries.flatMap((entry) => [entry.actorId, ...(entry.kind === 'assignees' ? [entry.subjectId] : [])]),
    ...data.participants,
    ...[...data.reactions.values()].flat().flatMap((one) => one.userIds.slice(0, 10)),
  ]);
  const [users, repositoriesById, side, end, offeredLabels, offeredMilestones, writers] = await Promise.all([
    accounts.byIds([...personIds]),
    others.length ? repositories.byIds([...new Set(others.map((one) => one.repositoryId))]) : new Map(),
    slots(deps.sidebar),
    slots(deps.end),
    set === 'labels' ? labels.offered(repository) : [],
    set === 'milestone' ? milestones.offered(repository.id) : [],
    set === 'assignees' ? repositoryMembers.writers(repository) : [],
  ]);
  const assignable =
    set === 'assignees'
      ? await accounts.byIds([...new Set([...writers, ...data.assignees])])
      : new Map<number, Account>();
  const lines = await linesIn(deps, context, csrf, data.entries, repositoryPath, users);

  const isLocked = issue.isLocked && !resource.may('write');
  const mayTakePart = actor.kind === 'user' && isActive && !isLocked;
  const editing = refused?.edited === undefined ? textIn(query, 'edit') : String(refused.edited);
  const written = data.entries.filter((entry) => entry.kind === 'comment');
  const markupContext = {
    kind: 'comment',
    repository: fullName,
    linkBase: `${repositoryPath}/src/branch/${encodeURI(repository.defaultBranch)}`,
    imageBase: `${repositoryPath}/raw/branch/${encodeURI(repository.defaultBranch)}`,
    viewer: context,
  } as const;
  const own = pageNumber === 1 ? [issue.body] : [];
  const htmls = await markup.renderAll([...own, ...written.map((entry) => entry.body)], markupContext, own.length);
  const bodyHtml = own.length ? htmls.shift() : undefined;

  const { maxBytes } = attachments.limits(commentFiles);
  const card = (
    one: Pick<WrittenView, 'id' | 'body' | 'createdAt' | 'originalAuthor'> & { actorId: number },
    html: SafeHtml,
  ): CardProps => {
    const mayChange = actor.kind === 'user' && isActive && (one.actorId === actor.id || resource.may('write'));
    const isEditing = mayChange && editing === String(one.id);
    return {
      view: {
        id: one.id,
        author: users.get(one.actorId),
        originalAuthor: one.originalAuthor,
        body: one.body,
        html,
        createdAt: one.createdAt,
        isEdited: data.edited.has(one.id),
        files: data.files.get(one.id) ?? [],
        reactions: data.reactions.get(one.id) ?? [],
        mayChange,
        mayDelete: mayChange && one.id !== 0,
        ...(isEditing && {
          draft: {
            text: refused && refused.edited === one.id ? formText(refused.values, 'body', 1_000_000) : one.body,
            contentVersion: refused?.contentVersion ?? issue.contentVersion,
            ...(refused?.edited === one.id && refused.theirs !== undefined && { theirs: refused.theirs }),
          },
        }),
      },
      action,
      page,
      csrf,
      path: site.path,
      avatarUrl: deps.avatarUrl,
      users,
      me: actor.kind === 'user' ? actor.id : 0,
      mayReact: mayTakePart,
      allowed: issueServices.reactions.allowed,
      emojiOf: (content) => emojiOf(deps.emojify, content),
      repository: fullName,
      maxBytes,
    };
  };
  const first = bodyHtml !== undefined ? card({ ...issue, id: 0, actorId: issue.posterId }, bodyHtml) : undefined;
  const cards = new Map(written.map((entry, at) => [entry.id, card(entry, htmls[at]!)]));
  const shown = data.entries.flatMap((entry): ConversationProps['shown'] => {
    const own = cards.get(entry.id);
    if (own) return [own];
    const line = lines.get(entry.id);
    return line ? [{ entry, line }] : [];
  });
  const quoted = quoteOf(textIn(query, 'quote'), issue.body, written);
  const me = actor.kind === 'user' ? await accounts.byId(actor.id) : undefined;
  return (
    <Conversation
      data={data}
      first={first}
      shown={shown}
      end={end.map(({ node }) => node)}
      pageNumber={pageNumber}
      side={{
        deps,
        repository,
        issue,
        data,
        users,
        repositoriesById,
        action,
        page,
        csrf,
        me: actor.kind === 'user' ? actor.id : 0,
        mayWrite,
        mayAdminister,
        hasDependencies: hasDependencies(repository),
        mayPin: mayAdminister,
        ...(set && { set }),
        choices: { labels: offeredLabels, milestones: offeredMilestones, users: [...assignable.values()] },
        slots: side,
      }}
      form={{
        action,
        csrf,
        repository: fullName,
        text: refused && refused.edited === undefined ? formText(refused.values, 'body', 1_000_000) : quoted,
        maxBytes,
        state: actor.kind !== 'user' ? 'signedOut' : !isActive ? 'archived' : isLocked ? 'locked' : 'open',
        signIn: `${site.path('/user/login')}?redirect_to=${encodeURIComponent(page)}`,
        isClosed: issue.isClosed,
        mayClose: resource.may('write') || issue.posterId === actor.id,
        avatar: me && accounts.avatarUrl(me),
      }}
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
  csrf: string,
  entries: readonly TimelineEntry[],
  repositoryPath: string,
  users: ReadonlyMap<number, Account>,
): Promise<ReadonlyMap<number, TimelineLine>> {
  const view = {
    issue: resource.issue,
    actor,
    context: resource.context,
    csrf,
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
