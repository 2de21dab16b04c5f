import { readBasic, type AuthMethod, type AuthRequest, type AuthResult } from '@mortise/plugin-sdk';
import { actionsActor } from '@mortise/accounts/api';
import type { TaskIdentity } from '../../contract/task-identity.js';
import { actorOf, type TaskIdentityService } from './task-identities.js';

interface RuntimeTokenReader {
  read(token: string): Promise<{ readonly taskId: number } | undefined>;
}

/** The tokens that a request may bring: `token`, `Bearer`, password, or user name without a password. */
function tokensOf({ headers: { authorization } }: AuthRequest): readonly string[] {
  if (!authorization) return [];
  const [, token] = /^(?:token|bearer)\s+(\S+)\s*$/i.exec(authorization) ?? [];
  if (token) return [token];
  const basic = readBasic(authorization);
  if (!basic) return [];
  return basic.password === '' || basic.password === 'x-oauth-basic' ? [basic.user] : [basic.password];
}

const runtimeForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Jobs that act with their token, or with the runtime token that artifacts use. */
export function taskMethod(identities: TaskIdentityService, runtimeTokens: RuntimeTokenReader): AuthMethod {
  const known = (identity: TaskIdentity | undefined): AuthResult =>
    identity ? { actor: actorOf(identity, actionsActor) } : { refuse: 'the job of this token has ended' };
  const byRuntimeToken = async (token: string): Promise<AuthResult> => {
    const claims = await runtimeTokens.read(token);
    return claims && known(await identities.running(claims.taskId));
  };
  return {
    key: 'task',
    // Before access tokens, which have the same form.
    order: 5,
    surfaces: ['api', 'protocol'],
    authenticate(request) {
      const [token] = tokensOf(request);
      if (token === undefined) return undefined;
      if (identities.mayBe(token)) return identities.byToken(token).then(known);
      return runtimeForm.test(token) ? byRuntimeToken(token) : undefined;
    },
  };
}
