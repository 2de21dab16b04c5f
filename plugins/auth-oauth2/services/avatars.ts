import { defineJob, type Jobs, type Logger, type Outbound } from '@mortise/plugin-sdk';
import type { Account, AccountPictures } from '@mortise/accounts/api';
import type { Source } from './client.js';
import type { Identity } from './identity.js';
import { namedOrigins } from './providers.js';

/** Fetches a picture and gives it to the account. `trusted`: the address is the provider's own. */
export const updateAvatar = defineJob<{ userId: number; url: string; trusted: boolean }>('auth-oauth2.updateAvatar');

const timeoutMs = 10_000;

/** `[oauth2_client] UPDATE_AVATAR`: pictures come behind the sign-in, which does not wait for them. */
export class AvatarUpdates {
  constructor(
    private readonly jobs: Jobs,
    private readonly isOn: boolean,
  ) {}

  async want(account: Account, source: Source, { picture }: Identity): Promise<void> {
    if (!this.isOn || !/^https?:\/\//.test(picture) || !URL.canParse(picture)) return;
    const trusted = namedOrigins(source.settings).has(new URL(picture).origin);
    const payload = { userId: account.id, url: picture, trusted };
    await this.jobs.enqueue(updateAvatar, payload, { uniqueKey: `auth-oauth2.avatar.${account.id}` });
  }
}

/** The job. People choose the address at the provider, so it is bound like those that users name. */
export async function fetchAvatar(
  { userId, url, trusted }: { userId: number; url: string; trusted: boolean },
  { outbound, pictures, log }: { outbound: Outbound; pictures: AccountPictures; log: Pick<Logger, 'info'> },
): Promise<void> {
  try {
    const answer = await outbound.fetch(url, {
      headers: { accept: 'image/*' },
      timeoutMs,
      maxResponseBytes: pictures.maxBytes,
      ...(trusted && { allowedHosts: '*', redirect: 'manual' as const }),
    });
    if (answer.status !== 200) throw new Error(`the answer is ${answer.status}`);
    await pictures.upload(userId, answer.body);
  } catch (error) {
    log.info('could not store an avatar of a provider', {
      event: 'oauth2.avatar',
      userId,
      reason: (error as Error).message,
    });
  }
}
