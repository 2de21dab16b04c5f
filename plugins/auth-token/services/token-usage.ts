import { readBasic, type AuthRequest } from '@mortise/plugin-sdk';
import type { PresentedToken, TokenUsage } from '../contract/auth-token.js';

export function queryToken(request: AuthRequest): string | undefined {
  return request.query.token || request.query.access_token || undefined;
}

/** The address comes first. */
export const createTokenUsage = (useQuery: boolean): TokenUsage => ({
  *tokens(request): Iterable<PresentedToken> {
    const inQuery = useQuery ? queryToken(request) : undefined;
    if (inQuery) yield { text: inQuery, form: 'query', maybe: false };
    const header = request.headers.authorization;
    if (!header) return;
    const [, text] = /^(?:token|bearer) +(\S+)$/i.exec(header) ?? [];
    if (text) yield { text, form: 'header', maybe: false };
    const basic = readBasic(header);
    if (!basic) return;
    const inName = basic.password === '' || basic.password === 'x-oauth-basic';
    yield { text: inName ? basic.user : basic.password, form: 'basic', maybe: true };
  },
});
