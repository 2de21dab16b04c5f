import type { Mail, Mailer, MailPart } from '@mortise/mail/api';
import type { Site } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { pathOf, type Issue } from '@mortise/issues/api';
import type { Markup } from '@mortise/markup/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { NotificationReceiver, NotificationRequest, NotificationSubject } from '../contract/notifications.js';
import { t } from '../texts/index.js';
import type { MailChoices, MailChoice } from './mail-choices.js';
import type { Reasons } from './reasons.js';
import { unsubscribeKind } from './unsubscribe-by-mail.js';
import type { UnsubscribeLinks } from './unsubscribe.js';

/** Longer texts are read on the site. */
const maxText = 50_000;

/** What all mails about one thing have in common. */
type Common = Omit<Mail, 'to' | 'list'>;

/** Where it happened. */
interface ResolvedSubject {
  readonly repository?: Repository;
  readonly subject?: NotificationSubject;
}

/** Names the repository, or the account that owns what is outside of repositories. */
const scopeName = ({ repository, subject }: ResolvedSubject): string =>
  repository ? `${repository.ownerName}/${repository.name}` : (subject?.ownerName ?? '');

/** Writes what people are told as mails that form a thread, each with a way out of it (RFC 2369, RFC 8058). */
export class NotificationMailer {
  constructor(
    private readonly deps: {
      readonly accounts: Pick<Accounts, 'byId'>;
      readonly site: Site;
      readonly markup: Markup;
      readonly repositories: Pick<Repositories, 'htmlUrl'>;
      readonly choices: MailChoices;
      readonly links: UnsubscribeLinks;
      readonly reasons: Reasons;
      /** Undefined: there is none, or mails of this kind are off. */
      readonly mailer: Mailer | undefined;
    },
  ) {}

  get isOn(): boolean {
    return this.deps.mailer?.isEnabled ?? false;
  }

  /** Writes the mails of those who want one, some receivers at a time. The text is rendered once, when first needed. */
  writer(
    request: NotificationRequest,
    resolved: ResolvedSubject,
  ): (receivers: readonly NotificationReceiver[]) => Promise<Mail[]> {
    const issue = 'issue' in request.subject ? request.subject.issue : undefined;
    /** With what was written and without, for assignees and others. */
    const frames = new Map<string, Common>();
    const frameFor = async ({ mayReadText, reason }: NotificationReceiver): Promise<Common> => {
      const isAssignee = reason === 'assigned';
      const key = `${mayReadText} ${isAssignee}`;
      const made = frames.get(key) ?? {
        ...this.#frame(request, resolved, issue),
        ...(await this.#origin(request, resolved, issue)),
        ...this.#topic(resolved, issue),
        body: await this.#body(request, resolved, issue, { hasText: mayReadText, isAssignee }),
      };
      frames.set(key, made);
      return made;
    };
    return async (receivers) => {
      if (!request.mail || !this.isOn || receivers.length === 0) return [];
      const choiceOf = await this.deps.choices.of(receivers.map(({ account }) => account.id));
      const wanting = receivers.filter((one) => this.#wants(choiceOf(one.account.id), one, request.actorId));
      if (wanting.length === 0) return [];
      const mails: Mail[] = [];
      for (const receiver of wanting) {
        const { account } = receiver;
        const frame = await frameFor(receiver);
        mails.push({
          ...frame,
          reason: () => this.deps.reasons.labelOf(receiver.reason) ?? '',
          headers: { ...frame.headers, ...headersFor(receiver) },
          to: { address: account.email, name: account.fullName || account.name, language: account.language },
          list: this.#list(resolved, issue, account),
          ...answersOf(request, issue, account),
        });
      }
      return mails;
    };
  }

  #wants(choice: MailChoice, { account, reason }: NotificationReceiver, actorId: number): boolean {
    if (choice === 'disabled' || !account.email) return false;
    if (account.id === actorId) return choice === 'andyourown';
    return choice !== 'onmention' || this.deps.reasons.isPersonal(reason);
  }

  async send(mail: Mail): Promise<void> {
    await this.deps.mailer?.send(mail);
  }

  #frame(
    { subject: reference, mail, commentId, at, event = '' }: NotificationRequest,
    resolved: ResolvedSubject,
    issue: Issue | undefined,
  ) {
    const scope = `[${scopeName(resolved)}]`;
    if (!issue) {
      const root = 'kind' in reference ? `${reference.kind}/${reference.id}` : `repository/${resolved.repository?.id}`;
      return { subject: () => `${scope} ${lineOf(mail!.line)}`, messageId: `${root}/${at ?? Date.now()}` };
    }
    // ids, because names change
    const root = `issue/${issue.id}`;
    const subject = `${scope} ${issue.title} (#${issue.index})`;
    if (mail!.isFirst) return { subject, messageId: root };
    const own = commentId ? `comment/${commentId}` : `event/${at ?? Date.now()}${event && `/${event}`}`;
    return { subject: `Re: ${subject}`, messageId: `${root}/${own}`, thread: [root] };
  }

  #topic(resolved: ResolvedSubject, issue: Issue | undefined): Pick<Mail, 'topic'> {
    if (!resolved.repository || !issue) return {};
    const url = `${this.deps.repositories.htmlUrl(resolved.repository)}/${pathOf(issue)}`;
    return { topic: { scope: `${scopeName(resolved)} #${issue.index}`, title: issue.title, url } };
  }

  async #body(
    { mail, commentId }: NotificationRequest,
    { repository, subject }: ResolvedSubject,
    issue: Issue | undefined,
    { hasText, isAssignee }: { readonly hasText: boolean; readonly isAssignee: boolean },
  ): Promise<MailPart[]> {
    const { repositories, site } = this.deps;
    const { line, assignedLine, text = '', url } = mail!;
    const home = repository ? repositories.htmlUrl(repository) : site.url(subject?.path ?? '/');
    const page = issue ? `${home}/${pathOf(issue)}${commentId ? `#issuecomment-${commentId}` : ''}` : home;
    const told = hasText ? text.slice(0, maxText) : '';
    const parts: MailPart[] = isAssignee && assignedLine ? [line, assignedLine] : [line];
    if (told.trim() && repository) parts.push(await this.#text(told, repository, url ?? page));
    return [...parts, { link: url ?? page, label: t.later('mail.view') }];
  }

  async #text(text: string, repository: Repository, page: string): Promise<MailPart> {
    const home = this.deps.repositories.htmlUrl(repository);
    // as somebody who is not signed in sees it: the mail may be passed on
    const html = await this.deps.markup.render(text, {
      kind: 'comment',
      repository: `${repository.ownerName}/${repository.name}`,
      absolute: true,
      linkBase: `${home}/src/branch/${encodeURI(repository.defaultBranch)}`,
      imageBase: `${home}/raw/branch/${encodeURI(repository.defaultBranch)}`,
      page,
    });
    return { html, text };
  }

  /**
   * Whose deed it was, as far as it was a person's, and what filters of people who come from compatible services look for:
   * the same for all receivers.
   */
  async #origin(
    { actorId }: NotificationRequest,
    resolved: ResolvedSubject,
    issue: Issue | undefined,
  ): Promise<Pick<Mail, 'onBehalfOf' | 'headers'>> {
    const { repository } = resolved;
    const user = actorId > 0 ? await this.deps.accounts.byId(actorId) : undefined;
    const home = repository ? this.deps.repositories.htmlUrl(repository) : '';
    return {
      ...(user && { onBehalfOf: user.fullName || user.name }),
      headers: {
        ...(user && { 'X-Gitea-Sender': user.name, 'X-GitHub-Sender': user.name }),
        ...(repository && {
          'X-Gitea-Repository': repository.name,
          'X-Gitea-Repository-Path': scopeName(resolved),
          'X-Gitea-Repository-Link': home,
        }),
        ...(home &&
          issue && { 'X-Gitea-Issue-ID': String(issue.index), 'X-Gitea-Issue-Link': `${home}/${pathOf(issue)}` }),
      },
    };
  }

  #list(resolved: ResolvedSubject, issue: Issue | undefined, account: Account): Mail['list'] {
    const id = scopeName(resolved);
    if (issue) return { id, unsubscribe: this.deps.links.of(account.id, issue.id), oneClick: true };
    return { id, unsubscribe: this.deps.site.url('/user/settings/notifications') };
  }
}

/** Where answers by mail go, of issues and pull requests. */
const answersOf = (
  { mail }: NotificationRequest,
  issue: Issue | undefined,
  { id }: Account,
): Pick<Mail, 'answers'> | undefined =>
  issue && {
    answers: {
      userId: id,
      subject: mail?.answers ?? { kind: 'issue', id: issue.id },
      unsubscribe: { kind: unsubscribeKind, id: issue.id },
    },
  };

const headersFor = ({ account, reason }: NotificationReceiver): Record<string, string> => ({
  'X-Gitea-Reason': reason,
  'X-GitHub-Reason': reason,
  'X-Gitea-Recipient': account.name,
  'X-GitHub-Recipient': account.name,
});

const lineOf = (line: string | (() => string)): string => (typeof line === 'function' ? line() : line);
