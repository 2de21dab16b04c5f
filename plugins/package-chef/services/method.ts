import {
  Forbidden,
  type Actor,
  type AuthMethod,
  type AuthRequest,
  type AuthResult,
  type Site,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { ChefKeys } from './keys.js';
import { isSignedBy, maxSkewMs, readSigned, type SignedRequest } from './signature.js';

interface MethodDeps {
  readonly accounts: Accounts;
  readonly keys: ChefKeys;
  readonly site: Pick<Site, 'basePath'>;
}

const key = 'chef-signature';
const registry = /^\/api\/packages\/[^/]+\/chef(?:\/|$)/i;
const refusal = 'The signature of the request is wrong.';

/** Requests that knife and similar tools sign with the key of an account: good for cookbooks alone. */
export function chefMethod({ accounts, keys, site }: MethodDeps): AuthMethod {
  const signIn = async (signed: SignedRequest, { method, path }: AuthRequest): Promise<AuthResult> => {
    if (Math.abs(Date.now() - signed.sentAt) > maxSkewMs) return { refuse: 'The signature is too old.' };
    const account = await accounts.byName(signed.userName);
    const publicKey = account?.kind === 'user' ? await keys.of(account.id) : undefined;
    const paths = [...new Set([path, `${site.basePath}${path}`])];
    if (!account || !publicKey || !isSignedBy(publicKey, signed, { method, paths })) return { refuse: refusal };
    const refused = accounts.refusal(account);
    if (refused) throw Forbidden(refused);
    return { actor: accounts.actorOf(account, key, { scopes: { package: 'write' } }) };
  };
  return {
    key,
    order: 7,
    surfaces: ['protocol'],
    authenticate(request) {
      if (request.headers['x-ops-userid'] === undefined || !registry.test(request.path)) return undefined;
      const signed = readSigned(request.headers);
      if (signed === undefined) return undefined;
      return typeof signed === 'string' ? { refuse: `Refused: ${signed}.` } : signIn(signed, request);
    },
  };
}

/** Is it the content that was signed? Only the method above looks at signatures. */
export function isSignedContent(
  { method }: Actor,
  headers: Readonly<Record<string, string | undefined>>,
  content: { readonly sha1: string; readonly sha256: string },
): boolean {
  if (method !== key) return true;
  const given = headers['x-ops-content-hash'];
  return [content.sha1, content.sha256].some((hex) => Buffer.from(hex, 'hex').toString('base64') === given);
}
