/** The contract of `sessions`: signed-in browsers. */
import {
  defineEvent,
  definePoint,
  defineService,
  type Actor,
  type ContentSources,
  type Keyed,
  type Reply,
  type RouteContext,
  type Slot,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, OwnerConfirmation } from '@mortise/accounts/api';

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

/** How a login source knows a session that it has begun here: what it takes to end it there, too, and to end it here from there. */
export interface SourceSession {
  readonly sourceId: number;
  /** As the source names the person. */
  readonly subject: string;
  /** As it names its own session of that browser; empty: it does not. */
  readonly index: string;
  /** What else the plugin of the source needs to end it there. Together with the others at most 1500 bytes of JSON. */
  readonly data: string;
}

export interface NewSession {
  readonly userId: number;
  readonly remember: boolean;
  readonly userAgent: string;
  readonly remoteAddress: string;
  readonly sourceSession?: SourceSession;
}

export interface Sessions {
  /** For auth plugins with sign-in pages of their own: a session, set as cookie on the reply. */
  signIn(session: NewSession, reply: Reply): Promise<Reply>;
  /** How the login source that has begun the actor's session knows it; undefined: none that ends sessions. */
  sourceSession(actor: Actor): Promise<SourceSession | undefined>;
  /** Ends the actor's session and deletes the cookie. */
  signOut(actor: Actor, reply: Reply): Promise<Reply>;
  list(userId: number): Promise<Session[]>;
  /** Ends one session, or all of the user but `keep`. */
  end(userId: number, options: { id?: number; keep?: number }): Promise<void>;
  /** Ends those that the source names: of its sessions `indexes`, or all of the person where it names none. At most 200 at once. */
  endOfSource(sourceId: number, subject: string, indexes: readonly string[]): Promise<void>;
}
export const sessions = defineService<Sessions>('sessions.sessions');

/** Somebody signed out of these sessions, or was signed out of them; not of those that ended by their time. */
export const sessionsEnded = defineEvent<{ readonly userId: number; readonly sessionIds: readonly number[] }>(
  'sessions.ended',
);

/** Somebody who has shown who they are, and may have to do more before they are signed in. */
export interface PendingSignIn {
  readonly account: Account;
  readonly remember: boolean;
  /** Where they want to go: a path of this site, or empty. */
  readonly redirectTo: string;
  /** How they have shown it: `password`, or a word of the plugin, such as `passkey`. */
  readonly by: string;
  /** Id of the login source that has told who they are, which need not be that of the account; absent or 0: this site. */
  readonly sourceId?: number;
  /** As that source knows the session which is about to begin. */
  readonly sourceSession?: SourceSession;
  /** Keys of the steps that are behind them. */
  readonly passed: readonly string[];
  /** What is done once nothing is missing. */
  readonly action?: { readonly key: string; readonly data: string };
}

/**
 * Extension point: something that is done for somebody who has passed all steps, just before they are signed in, such as
 * tying another way in to the account. `data` is short, and the browser keeps it meanwhile: it can be read there, not
 * changed.
 */
export interface SignInAction extends Keyed {
  run(pendingSignIn: PendingSignIn, data: string): Promise<void>;
}
export const signInActions = definePoint.keyed<SignInAction>('sessions.signInActions');

export type { OwnerConfirmation };
export const ownerConfirmation = defineService<OwnerConfirmation>('sessions.ownerConfirmation');

/** What the flow needs of the request of a page. */
export type PendingSignInContext = Pick<RouteContext, 'headers' | 'cookies' | 'remoteAddress'>;

/**
 * Extension point: something that is asked for between knowing who somebody is and signing them in, by a page of its own:
 * a second factor (10), a new password (50), terms of use (90). The page reads the pending sign-in with {@link SignInFlow.at}.
 */
export interface SignInStep extends Keyed {
  /** Lower is asked first. */
  readonly order: number;
  /** Path of the page, below the root address; undefined: nothing is missing. */
  page(pendingSignIn: PendingSignIn): Promise<string | undefined> | string | undefined;
}
export const signInSteps = definePoint.keyed<SignInStep>('sessions.signInSteps');

/** The one way in for browsers, whatever proves who somebody is. What is half done ends after ten minutes. */
export interface SignInFlow {
  /**
   * They have shown who they are: leads to the first step that is missing, or signs them in. Throws Forbidden for accounts
   * that may not sign in, and for those whose login source is off, whatever way they come. `passed`: steps that their way of showing it makes needless, such as `second-factor`.
   */
  begin(
    context: PendingSignInContext,
    pendingSignIn: Omit<PendingSignIn, 'passed'> & { readonly passed?: readonly string[] },
  ): Promise<Reply>;
  /** Who stands before this step; undefined: nobody, the way leads to the sign-in page. */
  at(context: PendingSignInContext, step: string): Promise<PendingSignIn | undefined>;
  /** They have done it: leads to the next step, or signs them in. */
  pass(context: PendingSignInContext, pendingSignIn: PendingSignIn, step: string): Promise<Reply>;
  /** Does the sign-in page take names and passwords? `[service] ENABLE_PASSWORD_SIGNIN_FORM` */
  readonly takesPasswords: boolean;
  /** A path of this site as `redirect_to` may give it; empty for anything else: links must not lead elsewhere. */
  safeTarget(given: unknown): string;
}
export const signInFlow = defineService<SignInFlow>('sessions.signInFlow');

/** Somebody whom a login source has named, and who gets an account. */
export interface NewExternalAccount {
  readonly name: string;
  readonly email: string;
  /** The source vouches for the address. */
  readonly isEmailVerified: boolean;
  readonly fullName?: string;
  readonly isAdmin?: boolean;
  readonly isRestricted?: boolean;
  readonly sourceId: number;
  readonly loginName: string;
  /** Whether a mail to the address has to be answered first; default `[service] REGISTER_EMAIL_CONFIRM`. */
  readonly confirmsEmail?: boolean | undefined;
}

/** Making accounts for people who come from elsewhere, by the rules of this site. */
export interface Registrations {
  /** May they ask for one by hand? `[service] DISABLE_REGISTRATION`, `ALLOW_ONLY_INTERNAL_REGISTRATION` */
  readonly isOpenToExternal: boolean;
  /** Do new accounts wait for a mail? `[service] REGISTER_EMAIL_CONFIRM` */
  readonly confirmsEmail: boolean;
  /** May they get one without being asked? `[service] ALLOW_ONLY_INTERNAL_REGISTRATION` */
  readonly takesExternal: boolean;
  /**
   * Throws Invalid for a name or address that is bad or in use, or of a domain that the settings refuse. `waitsFor`: what
   * has to happen before they can sign in; the caller sends the mail.
   */
  registerExternal(
    given: NewExternalAccount,
  ): Promise<{ readonly account: Account; readonly waitsFor: 'mail' | 'administrator' | undefined }>;
}
export const registrations = defineService<Registrations>('sessions.registrations');

/**
 * Runs when somebody signs out on the page, after their session has ended: gives a reply in place of the way home (such
 * as a redirect to the provider that signed them in), or undefined. The session's cookie is deleted either way.
 */
export interface SignOutStep extends Keyed {
  readonly order?: number;
  next(step: { actor: Actor; sourceSession?: SourceSession }): Promise<Reply | undefined>;
}
export const signOutSteps = definePoint.keyed<SignOutStep>('sessions.signOutSteps');

/** Forms that a captcha may be asked in: registering, signing in with a password, registering after another provider. */
export type CaptchaForm = 'register' | 'sign-in' | 'external';

/**
 * Extension point: tells people from programs in forms that visitors send. `[service] CAPTCHA_TYPE` names the key of the
 * one that is asked.
 */
export interface Captcha extends Keyed {
  /** Names of the fields that it reads of the form; the first is the one that refusals stand beside. */
  readonly fields: readonly string[];
  /** What its part of the page loads from elsewhere. */
  readonly sources?: ContentSources;
  /** Throws where the settings lack what it needs, such as its keys; asked of the one that is in use when the site starts. */
  checkSettings?(): void;
  /**
   * A new question, as a part of that form; a page may have two of them. Rendered later: texts belong into a component.
   */
  render(form: CaptchaForm): VNode | Promise<VNode>;
  /** Is it the answer of a person? Each question is good for one answer. Throws a Problem where it cannot be told. */
  check(values: Readonly<Record<string, string>>): Promise<boolean>;
}
export const captchas = definePoint.keyed<Captcha>('sessions.captchas');

/** Asks for captchas where `[service] ENABLE_CAPTCHA`, `REQUIRE_CAPTCHA_FOR_LOGIN` and the like want it. */
export interface FormCaptcha {
  /** For the page with the form: its part, and what the page loads from elsewhere. Undefined: none is asked for. */
  part(form: CaptchaForm): Promise<{ readonly node: VNode; readonly sources?: ContentSources } | undefined>;
  /** Names of fields that the form may have more. */
  readonly fields: readonly string[];
  /** Throws Invalid at the field where the answer is missing or wrong. */
  check(form: CaptchaForm, values: Readonly<Record<string, unknown>>): Promise<void>;
}
export const formCaptcha = defineService<FormCaptcha>('sessions.captcha');

/** Further ways to sign in, below the form of the sign-in page. */
export const signInLinks = definePoint.keyed<Slot<{ redirectTo: string }>>('sessions.signInLinks');
