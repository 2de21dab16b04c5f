import { Invalid, NotFound, type Database } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Timeline } from '@mortise/issues/api';
import type { IncomingMailHandler } from '@mortise/mail/api';
import type { Pulls } from '@mortise/pulls/api';
import { checkParticipation, mustReadCode } from './participation.js';
import { t } from '../texts/index.js';
import { ReviewReader } from './review-reader.js';
import type { ReviewServices } from './services.js';

/** Of the addresses that mails about comments on lines carry. */
export const answerKind = 'review';

interface MailAnswerDeps {
  readonly accounts: Accounts;
  readonly database: Database;
  readonly pulls: Pulls;
  readonly reviewServices: ReviewServices;
  readonly timeline: Timeline;
}

/** Longer texts are no comments; that is the limit of the API, too. */
const maxText = 1_000_000;

/** Answers by mail to comments on lines go to their conversation, with what the account may do at that moment. */
export function mailAnswers(deps: MailAnswerDeps): IncomingMailHandler {
  const { accounts, database, reviewServices, timeline } = deps;
  const { comments, reader } = reviewServices;
  return {
    key: answerKind,
    async handle(commentId, mail, userId) {
      const { actor, comment, context } = await target(commentId, userId, deps);
      mustReadCode(context);
      await checkParticipation(accounts, context, actor);
      const attached = timeline.mailedFiles(mail.attachments);
      const text = mail.text || attached.map(({ name }) => name || 'file').join('\n');
      if (!text.trim()) throw Invalid(t.later('error.noWords'));
      if (text.length > maxText) throw Invalid(t.later('error.mailLong', { max: maxText }));
      const answer =
        mail.recordedId === undefined
          ? await database.write(async () => {
              const made = await comments.reply(context, comment, text, actor);
              await mail.record(made.id);
              return made;
            })
          : await reader.comment(mail.recordedId);
      const entry = answer && attached.length ? await timeline.byId(answer.id) : undefined;
      if (!entry) return;
      const links = await timeline.attachMailed(entry, attached, userId);
      await comments.link(entry.id, [mail.text, links.join('\n')].filter(Boolean).join('\n\n'));
    },
  };
}

/** The comment that is answered, and what the account may do there. Throws NotFound, with words for the sender. */
async function target(commentId: number, userId: number, { accounts, pulls, reviewServices }: MailAnswerDeps) {
  const { reader } = reviewServices;
  const gone = () => NotFound('comment', { text: t.later('error.mailGone') });
  const [account, comment] = [await accounts.byId(userId), await reader.comment(commentId)];
  const review = comment && (await reader.byId(comment.reviewId));
  if (!account || !comment || !review || !ReviewReader.isVisible(review, { id: userId })) throw gone();
  const actor = accounts.actorOf(account, 'mail');
  const context = await pulls.contextOf(comment.issueId, actor);
  if (!context?.may('read')) throw gone();
  return { actor, comment, context };
}
