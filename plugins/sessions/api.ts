/** The contract of `sessions`: signed-in browsers. */
import { definePoint, defineService, type Actor, type Keyed, type Reply, type Slot } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';

export interface Session {
  readonly id: number;
  readonly userId: number;
  readonly userAgent: string;
  readonly remoteAddress: string;
  readonly isRemembered: boolean;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

export interface NewSession {
  readonly userId: number;
  readonly remember: boolean;
  readonly userAgent: string;
  readonly remoteAddress: string;
}

export interface Sessions {
  /** For auth plugins with sign-in pages of their own: a session, set as cookie on the reply. */
  signIn(session: NewSession, reply: Reply): Promise<Reply>;
  /** Ends the actor's session and deletes the cookie. */
  signOut(actor: Actor, reply: Reply): Promise<Reply>;
  list(userId: number): Promise<Session[]>;
  /** Ends one session, or all of the user but `keep`. */
  end(userId: number, options: { id?: number; keep?: number }): Promise<void>;
}
export const sessions = defineService<Sessions>('sessions.sessions');

/**
 * Runs after a right password on the sign-in page: gives a reply (such as a page that asks for a second factor) instead
 * of the session, or undefined.
 */
export interface SignInStep extends Keyed {
  readonly order?: number;
  next(step: { account: Account; remember: boolean; redirectTo: string }): Promise<Reply | undefined>;
}
export const signInSteps = definePoint.keyed<SignInStep>('sessions.signInSteps');

/**
 * Runs when somebody signs out on the page, after their session has ended: gives a reply in place of the way home (such
 * as a redirect to the provider that signed them in), or undefined. The session's cookie is deleted either way.
 */
export interface SignOutStep extends Keyed {
  readonly order?: number;
  next(step: { actor: Actor }): Promise<Reply | undefined>;
}
export const signOutSteps = definePoint.keyed<SignOutStep>('sessions.signOutSteps');

/** Further ways to sign in, below the form of the sign-in page. */
export const signInLinks = definePoint.keyed<Slot<{ redirectTo: string; csrf: string }>>('sessions.signInLinks');
