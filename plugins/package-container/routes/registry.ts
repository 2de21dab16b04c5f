import {
  defineRoute,
  Joi,
  reply,
  Unauthorized,
  type Access,
  type Actor,
  type Problem,
  type Reply,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { PackageTokens } from '@mortise/packages/api';
import type { Images } from '../services/images.js';
import { errorReply, refuse, speaking } from '../services/oci.js';

const tokenSeconds = 24 * 3600;
const maxCatalogue = 100;

/** An anonymous client without an anonymous token: the challenge then says where to sign in. */
export const isStranger = ({ kind, method }: Actor): boolean => kind === 'anonymous' && method === '';

/** Refusals as clients of the distribution protocol read them. */
export const registryRefusal = (site: Site) => {
  const realm = new URL('/v2/token', site.rootUrl).href;
  const challenge = `Bearer realm="${realm}",service="container_registry",scope="*"`;
  return (problem: Problem, actor: Actor): Reply => {
    const isUnsigned = problem.code === 'unauthorized' || isStranger(actor);
    if (!isUnsigned) return errorReply(problem);
    return errorReply(refuse('unauthorized', 'UNAUTHORIZED', 'sign in first')).header('www-authenticate', challenge);
  };
};

interface RegistryDeps {
  readonly images: Images;
  readonly packageTokens: PackageTokens;
  readonly site: Site;
}

/** What has no owner: the root, tokens, and the list of all images (reference: 10.2). */
export function registryRoutes({ images, packageTokens, site }: RegistryDeps): readonly Route[] {
  const access: Access = { actor: 'anyone', forbiddenAsUnauthorized: true };
  const refusal = registryRefusal(site);
  const common = { method: 'GET', surface: 'protocol', access, refusal, tags: ['package-container'] } as const;
  return [
    defineRoute({
      ...common,
      path: '/v2',
      id: 'containerPing',
      summary: 'Does the registry speak the protocol, and am I signed in?',
      responses: { 200: Joi.object({}).unknown().label('ContainerPing') },
      handler: ({ actor }) => {
        if (isStranger(actor)) throw Unauthorized('sign in first');
        return speaking(reply.json({}));
      },
    }),
    defineRoute({
      ...common,
      path: '/v2/token',
      id: 'containerToken',
      summary: 'Exchange credentials, or none, for a token of the registry',
      responses: { 200: Joi.object({ token: Joi.string().required() }).unknown().label('ContainerToken') },
      handler: ({ actor }) => {
        const { token, seconds } = packageTokens.issue(actor, tokenSeconds);
        return speaking(
          reply
            .json({ token, access_token: token, expires_in: seconds, issued_at: new Date().toISOString() })
            .header('cache-control', 'no-store'),
        );
      },
    }),
    defineRoute({
      ...common,
      path: '/v2/_catalog',
      id: 'containerCatalogue',
      summary: 'Images that may be read',
      access: { ...access, scope: 'package' },
      request: { query: Joi.object<{ n?: string; last?: string }>({ n: Joi.string(), last: Joi.string() }).unknown() },
      responses: {
        200: Joi.object({ repositories: Joi.array().items(Joi.string()).required() }).label('ContainerCatalogue'),
      },
      handler: async ({ actor, query }) => {
        if (isStranger(actor)) throw Unauthorized('sign in first');
        const limit = Math.min(maxCatalogue, /^\d{1,6}$/.test(query.n ?? '') ? Number(query.n) : maxCatalogue);
        const repositories = limit ? await images.catalogue(actor, (query.last ?? '').toLowerCase(), limit) : [];
        const answer = speaking(reply.json({ repositories }));
        const last = repositories.at(-1);
        return last !== undefined && repositories.length === limit
          ? answer.header('link', `</v2/_catalog?n=${limit}&last=${encodeURIComponent(last)}>; rel="next"`)
          : answer;
      },
    }),
  ];
}
