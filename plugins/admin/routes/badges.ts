import { defineRoute, Joi, reply, type Route } from '@mortise/plugin-sdk';
import { anyUserResource } from '@mortise/accounts/api';
import type { Badges } from '../services/badges.js';

const badgeSchema = Joi.object({
  id: Joi.number().integer().required(),
  slug: Joi.string().required(),
  description: Joi.string().allow('').required(),
  image_url: Joi.string().allow('').required(),
}).label('Badge');
const option = Joi.object<{ readonly badge_slugs: readonly string[] }>({
  badge_slugs: Joi.array().items(Joi.string().max(100)).max(100).required(),
}).label('UserBadgeOption');

/** Badges of an account, for administrators (admin-tasks). */
export function badgeRoutes({ badges }: { badges: Badges }): readonly Route[] {
  const path = '/api/v1/admin/users/{username}/badges';
  const access = { actor: 'admin', scope: 'admin', resource: anyUserResource } as const;
  return [
    defineRoute({
      method: 'GET',
      path,
      id: 'adminListUserBadges',
      tags: ['admin'],
      summary: 'Badges of an account',
      access,
      responses: { 200: Joi.array().items(badgeSchema).label('BadgeList') },
      async handler({ resource, page }) {
        const { items, total } = await badges.ofUser(resource.id, page);
        return reply.list(
          items.map(({ id, slug, description, image_url }) => ({ id, slug, description, image_url })),
          total,
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      id: 'adminAddUserBadges',
      tags: ['admin'],
      summary: 'Give badges to an account',
      access,
      request: { payload: option },
      responses: { 204: null },
      async handler({ resource, payload }) {
        await badges.give(resource.id, payload.badge_slugs);
        return reply.none();
      },
    }),
    defineRoute({
      method: 'DELETE',
      path,
      id: 'adminDeleteUserBadges',
      tags: ['admin'],
      summary: 'Take badges from an account',
      access,
      request: { payload: option },
      responses: { 204: null },
      async handler({ resource, payload }) {
        await badges.take(resource.id, payload.badge_slugs);
        return reply.none();
      },
    }),
  ];
}
