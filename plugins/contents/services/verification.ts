import type { Logger, PointReader } from '@mortise/plugin-sdk';
import type { CommitVerification, SignatureVerifier, SignedObject, Verification } from '../api.js';

const answer = (object: SignedObject, reason: string): Verification => ({
  verified: false,
  reason,
  signature: object.signature ?? '',
  payload: object.payload ?? '',
  signer: null,
});

/** What signatures prove (CNT-05): verifiers are asked in their order, each once with all that is still open. */
export class VerificationService implements CommitVerification {
  constructor(
    private readonly parts: { readonly verifiers: PointReader<SignatureVerifier>; readonly log: Pick<Logger, 'warn'> },
  ) {}

  async verify(objects: readonly SignedObject[]): Promise<Verification[]> {
    const answers = objects.map((object) =>
      object.signature ? undefined : answer(object, 'gpg.error.not_signed_commit'),
    );
    for (const verifier of this.parts.verifiers.list()) {
      const open = objects.flatMap((object, index) => (answers[index] ? [] : [{ object, index }]));
      if (open.length === 0) break;
      const found = await this.#ask(
        verifier,
        open.map(({ object }) => object),
      );
      open.forEach(({ index }, place) => (answers[index] = found[place]));
    }
    return answers.map((one, index) => one ?? answer(objects[index]!, 'gpg.error.no_gpg_keys_found'));
  }

  /** A verifier that fails proves nothing; the commits are shown all the same. */
  async #ask(verifier: SignatureVerifier, objects: readonly SignedObject[]) {
    try {
      return await verifier.verify(objects);
    } catch (error) {
      this.parts.log.warn('a verifier of signatures failed', { verifier: verifier.key, error: String(error) });
      return [];
    }
  }
}
