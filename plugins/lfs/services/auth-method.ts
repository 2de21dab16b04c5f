import { anonymous, type AuthMethod, type AuthResult } from '@mortise/plugin-sdk';
import type { Accounts, PublicKeys } from '@mortise/accounts/api';
import { deployKeyGrant, type DeployKeys } from '@mortise/repositories/api';
import { lfsGrant, type LfsGrant, type LfsTokens } from './lfs-tokens.js';

interface LfsTokenDeps {
  readonly tokens: LfsTokens;
  readonly accounts: Accounts;
  readonly publicKeys: PublicKeys;
  readonly deployKeys: DeployKeys;
}

/** Matches exact paths only: names of files and tags may contain these words. */
const lfsAddress = /^\/[^/]+\/[^/]+\/info\/lfs\//;

/** `Authorization: Bearer …` with a token that SSH handed out; on LFS addresses only. */
export function lfsTokenMethod({ tokens, accounts, publicKeys, deployKeys }: LfsTokenDeps): AuthMethod {
  /** The key may have been taken away since, or the deploy key been made one for reading. */
  const stillHeld = async ({ fingerprint, deployKey, userId, repositoryId }: LfsGrant): Promise<boolean> => {
    if (!deployKey) return (await publicKeys.byFingerprint(fingerprint))?.userId === userId;
    const found = await deployKeys.byFingerprint(fingerprint);
    return found.some(
      ({ id, readOnly, ...key }) =>
        id === deployKey.id && key.repositoryId === repositoryId && (!readOnly || deployKey.readOnly),
    );
  };
  const signIn = async (grant: LfsGrant): Promise<AuthResult> => {
    if (!(await stillHeld(grant))) return { refuse: 'the SSH key of this LFS token was taken away' };
    if (grant.deployKey) {
      const { id, title, readOnly } = grant.deployKey;
      const key = deployKeyGrant.make({ repositoryId: grant.repositoryId, readOnly });
      const grants = { ...key, ...lfsGrant.make(grant) };
      return {
        actor: { ...anonymous, kind: 'deploy-key', name: title, method: 'lfs-token', credentialId: id, grants },
      };
    }
    const account = await accounts.byId(grant.userId);
    if (!account || accounts.refusal(account)) return { refuse: 'the account may not sign in' };
    const publicOnly = grant.publicOnly ?? false;
    return { actor: accounts.actorOf(account, 'lfs-token', { publicOnly, grants: lfsGrant.make(grant) }) };
  };
  return {
    key: 'lfs-token',
    order: 5,
    surfaces: ['protocol'],
    authenticate(request) {
      if (!lfsAddress.test(request.path)) return undefined;
      const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
      const grant = token === undefined ? undefined : tokens.read(token);
      if (grant === 'expired') return { refuse: 'the LFS token has expired' };
      return grant && signIn(grant);
    },
  };
}
