import { defineRoute, Joi, reply, Unauthorized, type Route } from '@mortise/plugin-sdk';
import type { RuntimeTasks } from '../contract/runtime-tasks.js';
import { idAlgorithm, type IdKeys } from '../services/id-keys.js';
import { idTokenPath, type IdTokens } from '../services/id-tokens.js';

const tags = ['actions identity'];
const open = { actor: 'anyone', always: true } as const;
const cacheable = (body: object) => reply.json(body).header('cache-control', 'public, max-age=300');

interface IdTokenRouteDeps {
  readonly tasks: RuntimeTasks;
  readonly tokens: IdTokens;
  readonly keys: IdKeys;
}

/** Identity tokens of jobs, and what others need to check them (OpenID Connect Discovery 1.0). */
export function idTokenRoutes({ tasks, tokens, keys }: IdTokenRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: idTokenPath,
      id: 'getActionsIdToken',
      tags,
      summary: 'An identity token for the job whose token asks',
      surface: 'protocol',
      access: { ...open, ownCredentials: true },
      request: {
        query: Joi.object<{ readonly audience?: string }>({
          audience: Joi.string()
            .allow('')
            .max(1000)
            .description('Whom it is for; default: the owner of the repository'),
        }).unknown(true),
      },
      responses: { 200: Joi.object({ count: Joi.number(), value: Joi.string().required() }).label('ActionsIdToken') },
      async handler({ headers, query }) {
        const task = await tasks.ofHeader(headers.authorization);
        if (!task) throw Unauthorized('The token of a running task is required.');
        const value = await tokens.issue(task, query.audience);
        return reply.json({ count: value.length, value }).header('cache-control', 'no-store');
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/actions/.well-known/openid-configuration',
      id: 'getActionsIdConfiguration',
      tags,
      summary: 'Who issues identity tokens of jobs, and how they are signed',
      surface: 'protocol',
      access: open,
      responses: { 200: Joi.object().unknown() },
      handler: () =>
        cacheable({
          issuer: tokens.issuer,
          jwks_uri: `${tokens.issuer}/.well-known/keys`,
          subject_types_supported: ['public'],
          response_types_supported: ['id_token'],
          claims_supported: claims,
          id_token_signing_alg_values_supported: [idAlgorithm],
          scopes_supported: ['openid'],
        }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/actions/.well-known/keys',
      id: 'getActionsIdKeys',
      tags,
      summary: 'The keys of identity tokens of jobs',
      surface: 'protocol',
      access: open,
      responses: { 200: Joi.object().unknown() },
      handler: async () => cacheable(await keys.publicKeys()),
    }),
  ];
}

const claims = [
  ...['sub', 'aud', 'exp', 'iat', 'iss', 'jti', 'nbf', 'ref', 'ref_type', 'ref_protected', 'sha'],
  ...['repository', 'repository_id', 'repository_owner', 'repository_owner_id', 'repository_visibility'],
  ...['actor', 'actor_id', 'event_name', 'head_ref', 'base_ref', 'workflow', 'workflow_ref', 'workflow_sha'],
  ...['job', 'job_workflow_ref', 'job_workflow_sha', 'run_id', 'run_number', 'run_attempt', 'runner_environment'],
];
