import type { Issues } from '@mortise/issues/api';
import type { IncomingMailHandler } from '@mortise/mail/api';

export const unsubscribeKind = 'unsubscribe';

/** An empty mail to the address that each mail names ends the mails about one issue or pull request. */
export const unsubscribeByMail = ({ issues }: { readonly issues: Issues }): IncomingMailHandler => ({
  key: unsubscribeKind,
  async handle(issueId, _mail, userId) {
    const issue = await issues.byId(issueId);
    if (issue) await issues.subscribe(issue, userId, false);
  },
});
