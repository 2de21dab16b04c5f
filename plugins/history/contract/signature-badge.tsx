import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { TrustedVerification } from './signatures.js';

const states = {
  trusted: { color: 'success', glyph: 'verified' },
  untrusted: { color: 'attention', glyph: 'unverified' },
  unmatched: { color: 'danger', glyph: 'unverified' },
  bad: { color: 'danger', glyph: 'unverified' },
  revoked: { color: 'danger', glyph: 'unverified' },
  expired: { color: 'danger', glyph: 'unverified' },
} as const;

/** Reasons that say something against a commit. A key that nobody knows here says nothing. */
const refusals: Readonly<Record<string, keyof typeof states>> = {
  'gpg.error.probable_bad_signature': 'bad',
  'gpg.error.revoked_key': 'revoked',
  'gpg.error.expired_key': 'expired',
};

type SignatureState = keyof typeof states;

/** What a signature shows of a commit; undefined: nothing, for it is not signed, or by a key that is not known here. */
export function signatureState(verification: TrustedVerification | undefined): SignatureState | undefined {
  if (!verification?.signature) return undefined;
  return verification.verified ? (verification.trust ?? 'trusted') : refusals[verification.reason];
}

/** What a signature proves and whether the repository trusts it, as a sentence. */
export const signatureText = (state: SignatureState): string => t(`signature.${state}Text`);

/** What a signature proves, as a label. */
export function SignatureBadge({ verification }: { verification: TrustedVerification | undefined }): VNode | null {
  const state = signatureState(verification);
  if (!state) return null;
  const { color, glyph } = states[state];
  return (
    <span class={`Label Label--${color} no-wrap`} title={signatureText(state)}>
      {icon(glyph)} {t(`signature.${state}`)}
    </span>
  );
}
