import type { Cache, QueryCache } from '@mortise/plugin-sdk';
import type { TrustedVerification, SignatureVerifier, SignedObject } from '@mortise/history/api';
import type { Repository, RepositoryMembers } from '@mortise/repositories/api';
import { trustOf, type SiteTrustModel } from './trust.js';
import type { Finding, Verifier } from './verifier.js';

/** Verifies, and tells pages how far the trust model of a repository lets a signature count. */
export class TrustedVerifier implements SignatureVerifier {
  readonly key = 'signatures';
  readonly #members: QueryCache<ReadonlySet<number>>;

  constructor(
    private readonly deps: { readonly verifier: Verifier; readonly users: RepositoryMembers; readonly cache: Cache },
    private readonly defaultModel: SiteTrustModel,
  ) {
    this.#members = deps.cache.query('signatures.members');
  }

  verify: SignatureVerifier['verify'] = (objects) => this.deps.verifier.verify(objects);

  async verifyWithTrust(
    repository: Repository,
    objects: readonly SignedObject[],
  ): Promise<readonly (TrustedVerification | undefined)[]> {
    const findings = await this.deps.verifier.find(objects, { ofAnybody: true });
    const members = findings.some((finding) => finding?.by) ? await this.#membersOf(repository) : new Set<number>();
    return findings.map((finding) => finding && this.#withTrust(finding, repository, members));
  }

  #withTrust({ verification, by }: Finding, repository: Repository, members: ReadonlySet<number>): TrustedVerification {
    if (!by) return verification;
    const model = repository.trustModel === 'default' ? this.defaultModel : repository.trustModel;
    const isMember = by.userId === undefined || members.has(by.userId);
    return { ...verification, trust: trustOf(model, { isMember, isCommitter: by.isCommitter }) };
  }

  /** The owner and the collaborators. */
  #membersOf({ id, ownerId }: Repository): Promise<ReadonlySet<number>> {
    return this.#members.load(`${id}:${ownerId}`, async () => {
      const others = await this.deps.users.collaborators(id);
      return new Set([ownerId, ...others.map((one) => one.userId)]);
    });
  }
}
