import { apiTime } from '@mortise/plugin-sdk';
import type { Site } from '@mortise/plugin-sdk';
import type { Accounts, ShowKey } from '../api.js';

/** Model `PublicKey` (ACC-01). */
export const makeShowKey =
  (accounts: Accounts, site: Site): ShowKey =>
  (key, owner, viewer) => ({
    id: key.id,
    key: key.content,
    url: site.url(`/api/v1/user/keys/${key.id}`),
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: apiTime(key.createdAt),
    last_used_at: apiTime(key.lastUsedAt),
    ...(owner && (viewer.isAdmin || viewer.id === owner.id)
      ? { user: accounts.toApiUser(owner, viewer), read_only: key.readOnly, key_type: key.keyType }
      : {}),
  });
