import {
  endOfDay,
  Forbidden,
  formatDate,
  Invalid,
  parseDateTime,
  refusedField,
  type Actor,
  type Database,
  type Site,
} from '@mortise/plugin-sdk';
import type { AccountMail, Accounts } from '@mortise/accounts/api';
import type { AccessToken } from '../contract/auth-token.js';
import { AccessTokenRow, toToken } from '../models/access-token.js';
import { t } from '../texts/index.js';

/** Before the end of a token, at most; of one with a short life, in its last quarter. */
const noticeMs = 7 * 86_400_000;
/** Mails of one transaction. */
const noticesAtOnce = 100;

/** When the owner of a token hears that it will end; 0: never, as it does not. */
export const noticeTime = (createdAt: number, expiresAt: number): number =>
  expiresAt === 0 ? 0 : Math.floor(expiresAt - Math.min(noticeMs, (expiresAt - createdAt) / 4));

/** The end of a day (UTC) such as `2030-01-31`; undefined for an empty text. Invalid where it is no day. */
export function expiryOn(day: string): number | undefined {
  if (day === '') return undefined;
  const start = parseDateTime(`${day}T00:00:00Z`);
  if (Number.isNaN(start)) throw refusedField('expires_on', t.later('error.day'));
  return endOfDay(start);
}

/** Throws Invalid for an end that is past, Forbidden for one after that of the credential which makes the token. */
export function checkExpiry(expiresAt: number | undefined, now: number, creator: Actor): void {
  const past = t.later('error.past');
  // as the page and the API call it
  if (expiresAt !== undefined && expiresAt <= now)
    throw Invalid(past, { inputs: { expires_on: past, expires_at: past } });
  const { credentialExpiresAt } = creator;
  if (credentialExpiresAt !== undefined && (expiresAt ?? Infinity) > credentialExpiresAt)
    throw Forbidden(t.later('error.outlives'));
}

export const hasExpired = ({ expiresAt }: Pick<AccessToken, 'expiresAt'>): boolean =>
  expiresAt !== 0 && expiresAt <= Date.now();

interface NoticeDeps {
  readonly accounts: Accounts;
  readonly accountMail: AccountMail;
  readonly database: Database;
  readonly site: Site;
}

/** Tells owners by mail of tokens that end soon: of each once. */
export async function sendExpiryNotices(deps: NoticeDeps, signal: AbortSignal): Promise<void> {
  const { accounts, accountMail, database, site } = deps;
  // those that are due meanwhile hear of it when mail is on
  if (!accountMail.isEnabled) return;
  const now = Date.now();
  for (let count = noticesAtOnce; count === noticesAtOnce && !signal.aborted;)
    count = await database.write(async () => {
      const rows = await database
        .query(AccessTokenRow)
        .where('notice_at', '>', 0)
        .where('notice_at', '<=', now)
        .orderBy(['notice_at', 'id'])
        .limit(noticesAtOnce);
      const owners = await accounts.byIds(rows.map(({ user_id: userId }) => userId));
      for (const token of rows.map(toToken)) {
        const owner = owners.get(token.userId);
        if (owner?.kind === 'user' && !hasExpired(token)) await accountMail.send(owner, noticeOf(token, site));
      }
      await database
        .query(AccessTokenRow)
        .whereIn(
          'id',
          rows.map(({ id }) => id),
        )
        .patch({ notice_at: 0 });
      return rows.length;
    });
}

/** On which the token can still be used. */
export const lastDay = (expiresAt: number): string => formatDate(expiresAt - 1);

const noticeOf = ({ name, expiresAt }: AccessToken, site: Site) => ({
  subject: t.later('mail.expires.subject', { name, site: site.name }),
  body: [
    () => t('mail.expires.line', { name, day: lastDay(expiresAt) }),
    { link: site.url('/user/settings/applications'), label: t.later('mail.expires.link') },
  ],
});
