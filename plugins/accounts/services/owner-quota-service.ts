import type { PointReader } from '@mortise/plugin-sdk';
import type { OwnerQuota, StorageLimit, StoredSubject } from '../contract/owner-quota.js';

/** Asks every limit; the first that throws refuses. */
export class OwnerQuotaService implements OwnerQuota {
  constructor(private readonly limits: PointReader<StorageLimit>) {}

  get isLimited(): boolean {
    return this.limits.list().length > 0;
  }

  async check(ownerId: number, subject: StoredSubject, bytes: number): Promise<void> {
    for (const limit of this.limits.list()) await limit.check(ownerId, subject, bytes);
  }

  async checkAndLock(ownerId: number, subject: StoredSubject, bytes: number): Promise<void> {
    for (const limit of this.limits.list()) await limit.checkAndLock(ownerId, subject, bytes);
  }
}
