import { defineRoute, reply, type Route } from '@mortise/plugin-sdk';

/** What clients that push to `refs/for/<branch>` ask before they do: which protocol is spoken here. */
export const agitRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/ssh_info',
    surface: 'protocol',
    access: { actor: 'anyone' },
    handler: () => reply.json({ type: 'agit', version: 1 }),
  }),
];
