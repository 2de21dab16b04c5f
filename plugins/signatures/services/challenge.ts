import { createHmac } from 'node:crypto';
import { checkPgp, issuers, parsePgpSignature, readArmored } from './openpgp-check.js';

/** A text is good until the end of the slice after its own. */
const sliceMs = 10 * 60_000;

/** Texts that accounts sign to show that a key is theirs. Nothing is stored: the text follows from who and when. */
export class Challenges {
  constructor(private readonly secret: Buffer) {}

  token(userId: number, at = Date.now()): string {
    return createHmac('sha256', this.secret)
      .update(`${userId} ${Math.floor(at / sliceMs)}`)
      .digest('hex');
  }

  /** Does a detached signature by this key (or a subkey of it) cover a token of the account? */
  async isAnswered(userId: number, armoredKey: string, armoredSignature: string): Promise<boolean> {
    const signature = await parsePgpSignature(armoredSignature);
    if (!signature || issuers(signature).length === 0) return false;
    const key = await readArmored(armoredKey);
    const now = Date.now();
    for (const at of [now, now - sliceMs]) {
      // `echo` adds the end of a line.
      for (const end of ['', '\n', '\r\n'])
        if ((await checkPgp(Buffer.from(this.token(userId, at) + end), signature, key)) === 'good') return true;
    }
    return false;
  }
}
