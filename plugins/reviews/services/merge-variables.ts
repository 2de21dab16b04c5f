import type { Accounts } from '@mortise/accounts/api';
import type { MergeTemplateVariables } from '@mortise/pulls/api';
import type { ApproverSettings } from '../settings.js';
import type { ReviewServices } from './services.js';

interface Deps {
  readonly accounts: Accounts;
  readonly reviewServices: Pick<ReviewServices, 'reader' | 'official'>;
}

/** `ReviewedBy` of templates of merge messages: who approved, as trailers. */
export const reviewedByVariable =
  (settings: ApproverSettings) =>
  ({ accounts, reviewServices: { reader, official } }: Deps): MergeTemplateVariables => ({
    key: 'reviews',
    async variables(context) {
      const { issue } = context;
      const { opinions = [] } = (await reader.summary([issue.id])).get(issue.id) ?? {};
      const given = opinions.filter(({ state }) => state === 'approved');
      const counted = settings.DEFAULT_MERGE_MESSAGE_OFFICIAL_APPROVERS_ONLY && (await official.among(context, given));
      const approvals = counted ? given.filter(({ id }) => counted.has(id)) : given;
      const max = settings.DEFAULT_MERGE_MESSAGE_MAX_APPROVERS;
      const ids = approvals.map(({ reviewerId }) => reviewerId).slice(0, max < 0 ? undefined : max);
      const users = ids.length ? await accounts.byIds(ids) : new Map<number, never>();
      const lines = ids.flatMap((id) => {
        const account = users.get(id);
        return account ? `Reviewed-by: ${account.fullName || account.name} <${accounts.commitEmail(account)}>` : [];
      });
      return { ReviewedBy: lines.join('\n') };
    },
  });
