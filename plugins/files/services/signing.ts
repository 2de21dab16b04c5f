import type { PointReader } from '@mortise/plugin-sdk';
import type { CommitDraft, Signature } from '@mortise/git/api';
import type { CommitSigner, SignedObject } from '@mortise/history/api';

const line = (who: Signature) => `${who.name} <${who.email}> ${Math.floor(who.time / 1000)} ${who.zone}`;

/** The bytes of a commit without its signature, as git will store them. */
export function payloadOf(draft: CommitDraft): string {
  const message = draft.message.replace(/\0/g, '');
  return [
    `tree ${draft.tree}`,
    ...draft.parents.map((parent) => `parent ${parent}`),
    `author ${line(draft.author)}`,
    `committer ${line(draft.committer)}`,
    '',
    message === '' || message.endsWith('\n') ? message : `${message}\n`,
  ].join('\n');
}

/** The draft signed by the site's key, where one is there and the rules want it; else as it was. */
export async function signedDraft(
  signers: PointReader<CommitSigner>,
  draft: CommitDraft,
  request: { readonly actorId: number; readonly parents: readonly SignedObject[] },
): Promise<CommitDraft> {
  for (const one of signers.list()) {
    const signer = await one.signer({ action: 'crud', ...request });
    if (!signer) continue;
    const signed = { ...draft, committer: { ...draft.committer, name: signer.name, email: signer.email } };
    return { ...signed, signature: await signer.sign(payloadOf(signed)) };
  }
  return draft;
}
