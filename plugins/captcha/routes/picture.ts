import { defineRoute, NotFound, reply, type Route } from '@mortise/plugin-sdk';
import { drawDigits } from '../services/drawing.js';
import type { Questions } from '../services/questions.js';

/** `/captcha/{token}`: the picture of a question. */
export const pictureRoutes = ({ questions }: { readonly questions: Questions }): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/captcha/{token}',
    access: { actor: 'anyone', always: true },
    handler: async ({ params }) => {
      const question = questions.open(params.token);
      if (!question) throw NotFound('picture');
      const picture = await drawDigits(question.digits, question.id);
      return reply.bytes(picture, 'image/png').header('cache-control', 'private, max-age=600');
    },
  }),
];
