import { Invalid, NotFound } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { IncomingMail, IncomingMailHandler } from '@mortise/mail/api';
import { mustBeActive, type Repositories, type RepositoryAccess } from '@mortise/repositories/api';
import type { TimelineEntry } from '../api.js';
import { t } from '../texts/index.js';
import { issueContext } from './issue-resolver.js';
import { checkParticipation } from './participation.js';
import type { IssueServices } from './services.js';

interface MailAnswerDeps {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly issueServices: IssueServices;
}

/** Longer texts are no comments; that is the limit of the API, too. */
const maxText = 1_000_000;

/** Answers by mail to issues and pull requests become comments, with what the account may do at that moment. */
export function mailAnswers(deps: MailAnswerDeps): IncomingMailHandler {
  const { accounts, issueServices } = deps;
  const { mailedFiles } = issueServices;
  return {
    key: 'issue',
    async handle(issueId, mail, userId) {
      const { actor, repository, issue, context } = await target(issueId, userId, deps);
      mustBeActive(context);
      await checkParticipation(accounts, { issue, context }, actor);
      const attached = mailedFiles.allowed(mail.attachments);
      const text = mail.text || attached.map(({ name }) => name || 'file').join('\n');
      if (text.length > maxText) throw Invalid(t.later('error.mailLong', { max: maxText }));
      const comment = await commentOnce(mail, issueServices, () =>
        issueServices.comments.create(repository, issue, text, actor),
      );
      const links = comment ? await mailedFiles.attach(comment, attached, userId) : [];
      if (comment && !mail.text) await issueServices.comments.link(comment, links.join('\n'));
    },
  };
}

/** What the mail is about, and what its sender may do there. Throws NotFound, with words for them. */
async function target(issueId: number, userId: number, deps: MailAnswerDeps) {
  const { accounts, issueServices, repositories, repositoryAccess } = deps;
  const gone = () => NotFound('issue', { text: t.later('error.mailGone') });
  const [account, issue] = [await accounts.byId(userId), await issueServices.reader.byId(issueId)];
  const repository = issue && (await repositories.byId(issue.repositoryId));
  if (!account || !issue || !repository) throw gone();
  const actor = accounts.actorOf(account, 'mail');
  const context = await repositoryAccess.context(actor, repository);
  if (!issueContext(context, issue).may('read')) throw gone();
  return { actor, repository, issue, context };
}

/** The comment of the mail: made now, or by an attempt that was interrupted. Undefined: it was deleted since. */
async function commentOnce(
  mail: IncomingMail,
  { deps, entries }: IssueServices,
  create: () => Promise<TimelineEntry>,
): Promise<TimelineEntry | undefined> {
  if (mail.recordedId !== undefined) return entries.byId(mail.recordedId);
  return deps.database.write(async () => {
    const comment = await create();
    await mail.record(comment.id);
    return comment;
  });
}
