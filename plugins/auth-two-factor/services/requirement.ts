import type { QueryBuilder } from 'objection';
import type { Actor, Model, PointReader, Site } from '@mortise/plugin-sdk';
import type { Accounts, LoginSourceKind, LoginSources } from '@mortise/accounts/api';
import type { AccessRequirement } from '@mortise/repositories/api';
import type { SecondFactors } from '../api.js';
import { KeyRow } from '../models/key.js';
import { LoginSourceRow } from '../models/login-source.js';
import { TotpRow } from '../models/totp.js';
import { t } from '../texts/index.js';
import { isSkipped, securityPath } from './second-factor-step.js';

/** Whose factors count: an administrator who acts for somebody else needs one too. */
const userIds = ({ id, sudoBy }: Actor): number[] => (sudoBy === undefined ? [id] : [id, sudoBy]);

/** Leaves a query as it is where the account has a second factor, or else where it has none. */
export function whereEnrolled(query: QueryBuilder<Model>, enrolled: boolean, userId: number | 'user.id'): void {
  const own = <M extends Model>(rows: QueryBuilder<M>) =>
    typeof userId === 'number' ? rows.where('user_id', userId) : rows.whereColumn('user_id', userId);
  const codes = own(TotpRow.query().select('user_id'));
  const keys = own(KeyRow.query().select('user_id'));
  if (enrolled) void query.where((any) => void any.whereExists(codes).orWhereExists(keys));
  else void query.whereNotExists(codes).whereNotExists(keys);
}

interface Known {
  readonly accounts: Accounts;
  readonly loginSources: LoginSources;
  readonly secondFactors: SecondFactors;
}

/** Has the account a second factor, here or at its source? */
async function hasShown({ accounts, loginSources, secondFactors }: Known, id: number): Promise<boolean> {
  if (await secondFactors.has(id)) return true;
  const account = await accounts.byId(id);
  return account !== undefined && isSkipped(loginSources, account);
}

/** The account, where its source asks for a second factor itself: one of the kinds that are there, as in `loginSources`. */
const skipping = (id: number, kinds: readonly string[]) =>
  LoginSourceRow.query()
    .select('login_source.id')
    .join('user', 'user.source_id', 'login_source.id')
    .where({ 'user.id': id, 'login_source.skips_second_factor': true })
    .whereIn('login_source.kind', kinds);

/** `[security] TWO_FACTOR_AUTH = enforced` (TFA-03 to TFA-05). */
export const secondFactorRequirement = (services: {
  readonly accounts: Accounts;
  readonly kinds: Pick<PointReader<LoginSourceKind>, 'list'>;
  readonly loginSources: LoginSources;
  readonly secondFactors: SecondFactors;
  readonly site: Site;
}): AccessRequirement => ({
  key: 'second-factor',
  async isMet(actor) {
    for (const id of userIds(actor)) if (!(await hasShown(services, id))) return false;
    return true;
  },
  whereMet(actor, query) {
    const kinds = services.kinds.list().map(({ key }) => key);
    for (const id of userIds(actor))
      void query.where((either) => {
        whereEnrolled(either, true, id);
        void either.orWhereExists(skipping(id, kinds));
      });
  },
  hint: t.later('error.enforced', { url: services.site.url(securityPath) }),
});
