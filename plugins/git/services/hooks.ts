/**
 * The hooks of `git receive-pack`. git takes a hook that is missing, empty or not executable as an approval, so a push must
 * never meet one: they lie in a folder named for what they say, are put there whole, and are looked at before each push.
 */
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Problem, writeDurablySync } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

const names = ['pre-receive', 'proc-receive', 'post-receive'] as const;
const mode = 0o700;

export class Hooks {
  readonly folder: string;
  /** What each file was when it was last found good. */
  private readonly seen = new Map<string, string>();
  /** Those that had to be put right though others were there. */
  readonly mended: string[] = [];

  constructor(
    root: string,
    /** One script under all names. */
    private readonly script: string,
  ) {
    this.folder = join(root, createHash('sha256').update(script).digest('hex').slice(0, 16));
  }

  /** Puts right what is missing or differs; throws where git could not run them. */
  ensure(): void {
    const isNew = !existsSync(this.folder);
    for (const name of names) {
      const file = join(this.folder, name);
      const before = identityOf(file);
      if (before !== undefined && this.seen.get(name) === before) continue;
      if (!this.isGood(file)) {
        if (!isNew) this.mended.push(name);
        writeDurablySync(file, this.script, { mode });
      }
      const now = identityOf(file);
      if (now === undefined || !this.isGood(file)) throw new Problem('unavailable', t.later('error.hooks'));
      this.seen.set(name, now);
    }
  }

  private isGood(file: string): boolean {
    try {
      accessSync(file, constants.X_OK); // as git asks; says no on a file system without programs
      return readFileSync(file, 'utf8') === this.script;
    } catch {
      return false;
    }
  }
}

function identityOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}.${stats.ino}.${stats.size}.${stats.mode}.${stats.ctimeNs}`;
}
