import type { AuthMethod } from '@mortise/plugin-sdk';
import type { SessionService } from './sessions.js';

/** The session cookie. Clients of protocols may only read with it: their writes carry no proof against forgery. */
export function sessionMethod(sessions: SessionService, cookie: string): AuthMethod {
  return {
    key: 'session',
    order: 30,
    ambient: true,
    authenticate(request) {
      const secret = request.cookies[cookie];
      if (!secret) return undefined;
      if (request.surface === 'protocol' && request.method !== 'GET' && request.method !== 'HEAD') return undefined;
      return sessions.actorOf(secret).then((actor) => actor && { actor });
    },
  };
}
