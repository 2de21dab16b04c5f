import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  Forbidden,
  reply,
  parseJsonObject,
  type PointReader,
  type Reply,
  type Site,
  type Text,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, LoginSources } from '@mortise/accounts/api';
import { t } from '../texts/index.js';
import { safeTarget } from './safe-target.js';
import type {
  PendingSignIn,
  PendingSignInContext,
  Sessions,
  SignInAction,
  SignInFlow,
  SignInStep,
} from '../contract/sessions.js';

/** Milliseconds from showing who one is to being signed in. */
const span = 10 * 60_000;
const cookie = 'mortise_pending';

interface FlowDeps {
  readonly accounts: Accounts;
  readonly loginSources: LoginSources;
  readonly sessions: Sessions;
  readonly site: Site;
  readonly steps: PointReader<SignInStep>;
  readonly actions: PointReader<SignInAction>;
  readonly secret: Buffer;
  readonly takesPasswords: boolean;
}

/** What the browser keeps between steps. */
interface Pending {
  readonly user: number;
  readonly remember: boolean;
  readonly to: string;
  readonly by: string;
  readonly source?: number;
  readonly sourceSession?: PendingSignIn['sourceSession'];
  readonly passed: readonly string[];
  readonly action?: PendingSignIn['action'];
  /** Milliseconds since 1970 UTC. */
  readonly end: number;
}

/**
 * Leads from step to step. What was shown so far is in a signed cookie, which ends with the account's password, whoever
 * changes it: nothing is stored for who never arrives.
 */
export class SignInFlowService implements SignInFlow {
  constructor(private readonly deps: FlowDeps) {}

  get takesPasswords(): boolean {
    return this.deps.takesPasswords;
  }

  async begin(
    context: PendingSignInContext,
    given: Omit<PendingSignIn, 'passed'> & { readonly passed?: readonly string[] },
  ): Promise<Reply> {
    const { actions, sessions, site } = this.deps;
    const pendingSignIn: PendingSignIn = { ...given, passed: given.passed ?? [] };
    const refusal = await this.#refusal(pendingSignIn.account, pendingSignIn.sourceId);
    if (refusal) throw Forbidden(refusal);
    const missing = await this.#missing(pendingSignIn);
    if (missing) return reply.redirect(site.path(missing.page)).cookie(cookie, await this.#write(pendingSignIn), stays);
    const { action, sourceSession } = pendingSignIn;
    if (action) await actions.get(action.key)?.run(pendingSignIn, action.data);
    const answer = reply.redirect(pendingSignIn.redirectTo || site.path('/'));
    if (context.cookies[cookie] !== undefined) answer.cookie(cookie, null);
    return sessions.signIn(
      {
        userId: pendingSignIn.account.id,
        remember: pendingSignIn.remember,
        userAgent: context.headers['user-agent'] ?? '',
        remoteAddress: context.remoteAddress,
        ...(sourceSession && { sourceSession }),
      },
      answer,
    );
  }

  async at(context: PendingSignInContext, step: string): Promise<PendingSignIn | undefined> {
    const pending = await this.#read(context.cookies[cookie]);
    const account = pending && (await this.deps.accounts.byId(pending.user));
    if (!account || (await this.#refusal(account, pending.source))) return undefined;
    const { remember, to, by, source, sourceSession, passed, action } = pending;
    const pendingSignIn: PendingSignIn = {
      account,
      remember,
      redirectTo: to,
      by,
      passed,
      ...(source && { sourceId: source }),
      ...(sourceSession && { sourceSession }),
      ...(action && { action }),
    };
    return (await this.#missing(pendingSignIn))?.key === step ? pendingSignIn : undefined;
  }

  async pass(context: PendingSignInContext, pendingSignIn: PendingSignIn, step: string): Promise<Reply> {
    const account = await this.deps.accounts.byId(pendingSignIn.account.id);
    if (!account) return reply.redirect(this.deps.site.path('/user/login')).cookie(cookie, null);
    return this.begin(context, { ...pendingSignIn, account, passed: [...pendingSignIn.passed, step] });
  }

  safeTarget(given: unknown): string {
    return safeTarget(given, this.deps.site.basePath);
  }

  /** Why they may not sign in. Who has left a directory comes in by no other way either, such as a link. */
  async #refusal(account: Account, sourceId = 0): Promise<Text | undefined> {
    const { accounts, loginSources } = this.deps;
    for (const id of new Set([account.sourceId, sourceId]))
      if (id !== 0 && !(await loginSources.byId(id))?.isActive) return t.later('error.sourceOff');
    return accounts.refusal({ ...account, mustChangePassword: false });
  }

  async #missing(pendingSignIn: PendingSignIn): Promise<{ key: string; page: string } | undefined> {
    for (const step of this.deps.steps.list()) {
      if (pendingSignIn.passed.includes(step.key)) continue;
      const page = await step.page(pendingSignIn);
      if (page !== undefined) return { key: step.key, page };
    }
    return undefined;
  }

  async #write(pendingSignIn: PendingSignIn): Promise<string> {
    const { account, remember, redirectTo, by, sourceId, sourceSession, passed, action } = pendingSignIn;
    const pending: Pending = {
      user: account.id,
      remember,
      to: redirectTo,
      by,
      ...(sourceId && { source: sourceId }),
      ...(sourceSession && { sourceSession }),
      passed,
      ...(action && { action }),
      end: Date.now() + span,
    };
    const body = Buffer.from(JSON.stringify(pending)).toString('base64url');
    return `${body}.${(await this.#sign(account.id, body)).toString('base64url')}`;
  }

  async #read(value = ''): Promise<Pending | undefined> {
    const [, body, signature] = /^([\w-]{1,4000})\.([\w-]{43})$/.exec(value) ?? [];
    if (!body || !signature) return undefined;
    const pending = parseJsonObject(Buffer.from(body, 'base64url')) as Pending | undefined;
    if (!pending || !Number.isSafeInteger(pending.user)) return undefined;
    const given = Buffer.from(signature, 'base64url');
    const right = await this.#sign(pending.user, body);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    return pending.end > Date.now() ? pending : undefined;
  }

  async #sign(userId: number, body: string): Promise<Buffer> {
    const stamp = await this.deps.accounts.passwordStamp(userId);
    return createHmac('sha256', this.deps.secret).update(`${body}.${stamp}`).digest();
  }
}

const stays = { httpOnly: true, maxAge: span / 1000 };
