import { ownerQuota, type StoredSubject } from '@mortise/accounts/api';
import type { TestClient, TestHost } from '@mortise/plugin-sdk/testing';

/** Makes a group of one rule, and puts accounts into it. */
export async function limitTo(
  admin: TestClient,
  group: string,
  rule: { readonly limit: number; readonly subjects: readonly string[] },
  ...names: readonly string[]
): Promise<void> {
  const payload = { name: group, rules: [{ name: `rule of ${group}`, ...rule }] };
  await admin.inject({ method: 'POST', url: '/api/v1/admin/quota/groups', payload });
  for (const name of names)
    await admin.inject({ method: 'PUT', url: `/api/v1/admin/quota/groups/${group}/users/${name}` });
}

/** May so much more be stored? */
export const fits = (host: TestHost, ownerId: number, subject: StoredSubject, bytes: number): Promise<boolean> =>
  host.services
    .get(ownerQuota)
    .check(ownerId, subject, bytes)
    .then(
      () => true,
      (error: { readonly status?: number }) => {
        if (error.status !== 413) throw error;
        return false;
      },
    );
