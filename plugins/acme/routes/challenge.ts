import { Joi, NotFound, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { Challenges } from '../services/challenges.js';

/** What the ACME server asks for, by plain HTTP (RFC 8555, 8.3). */
export const challengeRoutes = (challenges: Challenges): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/.well-known/acme-challenge/{token}',
    surface: 'protocol',
    access: { actor: 'anyone', always: true },
    request: { params: Joi.object<{ readonly token: string }>({ token: Joi.string().max(191).required() }) },
    handler: async ({ params }) => {
      const answer = await challenges.answer(params.token);
      if (answer === undefined) throw NotFound('challenge');
      return reply.text(answer);
    },
  }),
];
