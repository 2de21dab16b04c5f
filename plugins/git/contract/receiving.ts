/** Pushes that move no reference of their name: `git push origin HEAD:refs/for/main`. */
import { definePoint } from '@mortise/plugin-sdk';
import type { RefChange, RefUpdate } from './references.js';

/** What came of a reference that was pushed; it is what the client shows. */
export type ReceivedRef =
  | {
      readonly ok: true;
      /** The reference that was moved instead, for instance `refs/pull/3/head`. */
      readonly ref?: string;
      /** Where it was; default: what was pushed says. */
      readonly old?: string;
      /** Where it is now; default: what was pushed. */
      readonly new?: string;
      readonly isForced?: boolean;
      /** Lines for the terminal of the pusher. */
      readonly message?: string;
    }
  | { readonly ok: false; readonly message: string };

/**
 * Extension point: takes what is pushed below some prefixes in place of moving references of these names. It decides by
 * itself who may: reading the repository is all that was asked for. Repositories of code only; deletions do not come here.
 */
export interface ReceivePoint {
  readonly key: string;
  /** For instance `refs/for/`; each ends with a slash and belongs to one point. */
  readonly prefixes: readonly string[];
  /**
   * Before anything is kept, with the pushed objects in `change.quarantine`: throws a Problem to refuse the whole push.
   * `change.updates` are all that this push has for receive points.
   */
  check?(change: RefChange, update: RefUpdate): Promise<void>;
  /**
   * After every check, with the objects in the repository (they leave the quarantine before); branches of the same push
   * move afterwards. It moves references through the gate. A Problem that it throws is the same as `ok: false`. Runs to
   * its end also when the client has gone. In an atomic push the first refusal refuses everything that comes after it.
   */
  receive(change: RefChange, update: RefUpdate): Promise<ReceivedRef>;
}
export const receivePoints = definePoint.keyed<ReceivePoint>('git.receivePoints');

/** Every value that was given with a push option, in order: `-o reviewer=ada -o reviewer=ben`. */
export function pushOptionValues(change: Pick<RefChange, 'pushOptionList'>, name: string): string[] {
  return (change.pushOptionList ?? []).flatMap((option) => {
    const equals = option.indexOf('=');
    const given = (equals < 0 ? option : option.slice(0, equals)).trim();
    if (given !== name) return [];
    return [equals < 0 ? 'true' : option.slice(equals + 1)];
  });
}
