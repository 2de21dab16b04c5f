import type { Logger, PointReader } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import type {
  CommitVerification,
  TrustedVerification,
  SignatureVerifier,
  SignedObject,
  SignatureVerification,
} from '../contract/signatures.js';

type Answers = readonly (TrustedVerification | undefined)[];
type Question = (verifier: SignatureVerifier, objects: readonly SignedObject[]) => Promise<Answers>;

const answer = (object: SignedObject, reason: string): SignatureVerification => ({
  verified: false,
  reason,
  signature: object.signature ?? '',
  payload: object.payload ?? '',
  signer: null,
});

/** What signatures prove (CNT-05): verifiers are asked in their order, each once with all that is still open. */
export class VerificationService implements CommitVerification {
  constructor(
    private readonly deps: { readonly verifiers: PointReader<SignatureVerifier>; readonly log: Pick<Logger, 'warn'> },
  ) {}

  verify(objects: readonly SignedObject[]): Promise<SignatureVerification[]> {
    return this.#answers(objects, (verifier, open) => verifier.verify(open));
  }

  verifyWithTrust(repository: Repository, objects: readonly SignedObject[]): Promise<TrustedVerification[]> {
    return this.#answers(
      objects,
      (verifier, open) => verifier.verifyWithTrust?.(repository, open) ?? verifier.verify(open),
    );
  }

  async #answers(objects: readonly SignedObject[], question: Question): Promise<TrustedVerification[]> {
    const answers: (TrustedVerification | undefined)[] = objects.map((object) =>
      object.signature ? undefined : answer(object, 'gpg.error.not_signed_commit'),
    );
    for (const verifier of this.deps.verifiers.list()) {
      const open = objects.flatMap((object, index) => (answers[index] ? [] : [{ object, index }]));
      if (open.length === 0) break;
      const result = await this.#ask(question, verifier, open);
      open.forEach(({ index }, place) => (answers[index] = result[place]));
    }
    return answers.map((one, index) => one ?? answer(objects[index]!, 'gpg.error.no_gpg_keys_found'));
  }

  /** A verifier that fails proves nothing; the commits are shown all the same. */
  async #ask(
    question: Question,
    verifier: SignatureVerifier,
    open: readonly { readonly object: SignedObject }[],
  ): Promise<Answers> {
    try {
      return await question(
        verifier,
        open.map(({ object }) => object),
      );
    } catch (error) {
      this.deps.log.warn('a signature verifier failed', {
        event: 'signature.verifier',
        verifier: verifier.key,
        error: String(error),
      });
      return [];
    }
  }
}
