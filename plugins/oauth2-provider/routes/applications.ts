import { apiTime, defineRoute, Joi, NotFound, reply, type Route } from '@mortise/plugin-sdk';
import type { NewOAuth2Application, OAuth2Application, OAuth2Applications } from '../contract/oauth2-provider.js';

const applicationSchema = Joi.object({
  id: Joi.number().integer().required(),
  name: Joi.string().required(),
  client_id: Joi.string().required(),
  client_secret: Joi.string().allow('').required(),
  confidential_client: Joi.boolean().required(),
  skip_secondary_authorization: Joi.boolean().required(),
  redirect_uris: Joi.array().items(Joi.string()).required(),
  created: Joi.string().isoDate().required(),
}).label('OAuth2Application');

interface Options {
  readonly name: string;
  readonly redirect_uris: readonly string[];
  readonly confidential_client?: boolean | null;
  readonly skip_secondary_authorization?: boolean | null;
}
const options = Joi.object<Options>({
  name: Joi.string().max(255).required(),
  redirect_uris: Joi.array().items(Joi.string().allow('')).required(),
  confidential_client: Joi.boolean().allow(null),
  skip_secondary_authorization: Joi.boolean().allow(null),
}).label('CreateOAuth2ApplicationOptions');

const fromOptions = (given: Options): NewOAuth2Application => ({
  name: given.name,
  redirectUris: given.redirect_uris,
  isConfidential: given.confidential_client ?? false,
  skipsSecondConsent: given.skip_secondary_authorization ?? false,
});

/** The secret only when it is new. */
const toApi = (application: OAuth2Application, secret = '') => ({
  id: application.id,
  name: application.name,
  client_id: application.clientId,
  client_secret: secret,
  confidential_client: application.isConfidential,
  skip_secondary_authorization: application.skipsSecondConsent,
  redirect_uris: [...application.redirectUris],
  created: apiTime(application.createdAt),
});

/** `/user/applications/oauth2` */
export function applicationRoutes({
  oauth2Applications: applications,
}: {
  readonly oauth2Applications: OAuth2Applications;
}): readonly Route[] {
  const facts = { access: { actor: 'user', scope: 'user', noPublicOnly: true }, tags: ['user'] } as const;
  const params = Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() });
  const path = '/api/v1/user/applications/oauth2';
  const own = async (userId: number, id: number): Promise<OAuth2Application> => {
    const application = await applications.byId(id);
    if (application?.ownerId !== userId) throw NotFound('OAuth2 application');
    return application;
  };
  return [
    defineRoute({
      ...facts,
      method: 'GET',
      path,
      id: 'userGetOauth2Application',
      summary: 'OAuth2 applications of the signed-in account',
      responses: { 200: Joi.array().items(applicationSchema) },
      handler: async ({ actor, page }) => {
        const { items, total } = await applications.list(actor.id, page);
        return reply.list(
          items.map((one) => toApi(one)),
          total,
        );
      },
    }),
    defineRoute({
      ...facts,
      method: 'POST',
      path,
      id: 'userCreateOAuth2Application',
      summary: 'Create an OAuth2 application',
      request: { payload: options },
      responses: { 201: applicationSchema, 400: null, 422: null },
      handler: async ({ actor, payload }) => {
        const { application, secret } = await applications.create(actor.id, fromOptions(payload));
        return reply.created(toApi(application, secret));
      },
    }),
    defineRoute({
      ...facts,
      method: 'GET',
      path: `${path}/{id}`,
      id: 'userGetOAuth2Application',
      summary: 'An OAuth2 application',
      request: { params },
      responses: { 200: applicationSchema },
      handler: async ({ actor, params: { id } }) => toApi(await own(actor.id, id)),
    }),
    defineRoute({
      ...facts,
      method: 'PATCH',
      path: `${path}/{id}`,
      id: 'userUpdateOAuth2Application',
      summary: 'Change an OAuth2 application; it gets a new secret',
      request: { params, payload: options },
      responses: { 200: applicationSchema, 400: null },
      handler: async ({ actor, params: { id }, payload }) => {
        await own(actor.id, id);
        const { application, secret } = await applications.update(id, fromOptions(payload));
        return toApi(application, secret);
      },
    }),
    defineRoute({
      ...facts,
      method: 'DELETE',
      path: `${path}/{id}`,
      id: 'userDeleteOAuth2Application',
      summary: 'Delete an OAuth2 application',
      request: { params },
      responses: { 204: null },
      handler: async ({ actor, params: { id } }) => {
        await own(actor.id, id);
        await applications.delete(id);
      },
    }),
  ];
}
