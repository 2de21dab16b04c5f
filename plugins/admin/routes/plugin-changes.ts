import { Readable } from 'node:stream';
import {
  apiTime,
  BadRequest,
  defineRoute,
  formFile,
  Joi,
  pluginCapabilities,
  queryFlag,
  reply,
  type PluginChange,
  type PluginChanges,
  type Route,
  type UploadedFile,
} from '@mortise/plugin-sdk';
import type { PluginChangeRequests } from '../services/plugin-change-requests.js';
import { t } from '../texts/index.js';

/** What a packed plugin may have, in bytes. */
export const maxPackedBytes = 64 * 1024 * 1024;
/** Of a package of the registry, with or without a version or a range. */
const packageNameField = Joi.string().trim().max(250);
export const changeParams = Joi.object<{ readonly change: number }>({
  change: Joi.number().integer().min(1).required().description('Id of the change'),
});

const names = (description: string) => Joi.array().items(Joi.string()).required().description(description);
const changeSchema = Joi.object({
  id: Joi.number().integer().required(),
  kind: Joi.string().valid('add', 'update', 'remove', 'purge', 'enable', 'disable').required(),
  state: Joi.string()
    .valid('preparing', 'proposed', 'running', 'done', 'failed', 'discarded', 'cancelled')
    .required()
    .description('proposed: it waits to be confirmed; running: the nodes carry it out, one after the other'),
  plugin: Joi.string().allow('').required().description('Empty until the package is known'),
  source: Joi.string().allow('').required().description('Name of the package, the file or the plugin'),
  version: Joi.string(),
  from: Joi.string().description('Version that it takes the place of'),
  integrity: Joi.string().description('SHA-512 of all files'),
  size: Joi.number().integer().description('Bytes, packed'),
  contents: Joi.object({
    routes: names('Method and path of each'),
    tables: names('In the database'),
    settings: names('Section and key of each'),
    jobs: names('Work in the background'),
    commands: names('On the command line'),
    capabilities: Joi.array()
      .items(Joi.string().valid(...pluginCapabilities))
      .description('What it can do beyond its own work; absent in changes that an earlier version noted'),
  }).label('PluginContents'),
  problem: Joi.string().allow('').description('Why it failed, or how far it had come when it was cancelled'),
  can_retry: Joi.boolean().required().description('It failed or was cancelled, and can be proposed again'),
  changed_at: Joi.string().isoDate().required(),
  nodes: Joi.array()
    .items(
      Joi.object({
        host: Joi.string().required(),
        state: Joi.string().valid('waiting', 'running', 'restart_pending', 'done', 'failed', 'skipped').required(),
        problem: Joi.string().allow(''),
      }).label('PluginChangeNode'),
    )
    .required()
    .description('While it is carried out, and until nodes make a later one, the nodes that serve'),
}).label('PluginChange');

const shown = ({ canRetry, changedAt, ...change }: PluginChange) => ({
  ...change,
  can_retry: canRetry,
  changed_at: apiTime(changedAt),
});
const acceptedReply = (change: PluginChange) => reply.accepted(shown(change));

/** The file of a form, where one was chosen. */
export function chosenFile(file: unknown): UploadedFile | undefined {
  return file instanceof Readable && (file as UploadedFile).size > 0 ? (file as UploadedFile) : undefined;
}

interface Services {
  readonly changes: PluginChanges;
  readonly requests: PluginChangeRequests;
}

/** Adding, updating, removing and purging plugins over the API: proposed first, then confirmed. */
export function pluginChangeRoutes(services: Services): readonly Route[] {
  return [...proposalRoutes(services), ...changeRoutes(services)];
}

/** The change goes on after the answer. */
const acceptedResponse = { 202: changeSchema };
const of = { access: { actor: 'admin', scope: 'admin' }, tags: ['admin'] } as const;

function proposalRoutes({ changes, requests }: Services): readonly Route[] {
  return [
    defineRoute({
      ...of,
      method: 'POST',
      path: '/api/v1/admin/plugins',
      id: 'adminInstallPlugin',
      summary: 'Propose to add or update a plugin by its name in the package registry',
      request: {
        payload: Joi.object<{ readonly package: string }>({
          package: packageNameField.required().example('@acme/mortise-plugin-shelf@^1'),
        }).label('InstallPluginOption'),
      },
      responses: acceptedResponse,
      async handler({ payload }) {
        return acceptedReply(await changes.install({ packageName: payload.package }));
      },
    }),
    defineRoute({
      ...of,
      method: 'POST',
      path: '/api/v1/admin/plugins/files',
      id: 'adminInstallPluginFile',
      summary: 'Propose to add or update a plugin from a packed file',
      payload: { as: 'multipart', maxBytes: maxPackedBytes },
      request: {
        payload: Joi.object<{ readonly file: unknown }>({ file: formFile().required() }).label(
          'InstallPluginFileOption',
        ),
      },
      responses: acceptedResponse,
      async handler({ payload }) {
        const file = chosenFile(payload.file);
        if (!file) throw BadRequest(t.later('changes.noFile'));
        return acceptedReply(await changes.install({ file, fileName: file.fileName }));
      },
    }),
    defineRoute({
      ...of,
      method: 'POST',
      path: '/api/v1/admin/plugins/{plugin}/update',
      id: 'adminUpdatePlugin',
      summary: 'Propose to update a plugin to its newest version',
      responses: acceptedResponse,
      async handler({ params }) {
        return acceptedReply(await changes.update(params.plugin!));
      },
    }),
    defineRoute({
      ...of,
      method: 'DELETE',
      path: '/api/v1/admin/plugins/{plugin}',
      id: 'adminRemovePlugin',
      summary: 'Propose to remove a plugin',
      request: {
        query: Joi.object<{ readonly purge: boolean }>({
          purge: queryFlag().default(false).description('With all of its data'),
        }),
      },
      responses: acceptedResponse,
      async handler({ params, query }) {
        return acceptedReply(await requests.propose(query.purge ? 'purge' : 'remove', params.plugin!));
      },
    }),
  ];
}

function changeRoutes({ changes, requests }: Services): readonly Route[] {
  return [
    defineRoute({
      ...of,
      method: 'GET',
      path: '/api/v1/admin/plugin-changes',
      id: 'adminListPluginChanges',
      summary: 'Changes of plugins, the newest first',
      responses: { 200: Joi.array().items(changeSchema).label('PluginChangeList') },
      async handler({ page }) {
        const all = await changes.list();
        return reply.list(all.slice(page.offset, page.offset + page.limit).map(shown), all.length);
      },
    }),
    defineRoute({
      ...of,
      method: 'GET',
      path: '/api/v1/admin/plugin-changes/{change}',
      id: 'adminGetPluginChange',
      summary: 'A change of plugins, and how far the nodes have come',
      request: { params: changeParams },
      responses: { 200: changeSchema },
      async handler({ params }) {
        return reply.json(shown(await changes.get(params.change)));
      },
    }),
    defineRoute({
      ...of,
      method: 'POST',
      path: '/api/v1/admin/plugin-changes/{change}/confirm',
      id: 'adminConfirmPluginChange',
      summary: 'Let the nodes carry out a change of plugins',
      request: { params: changeParams },
      responses: acceptedResponse,
      async handler({ params }) {
        await requests.confirm(params.change);
        return acceptedReply(await changes.get(params.change));
      },
    }),
    defineRoute({
      ...of,
      method: 'DELETE',
      path: '/api/v1/admin/plugin-changes/{change}',
      id: 'adminDiscardPluginChange',
      summary: 'Discard a change that was proposed, or cancel one that the nodes carry out',
      request: { params: changeParams },
      responses: { 204: null },
      async handler({ params }) {
        await requests.discardOrCancel(params.change);
        return reply.none();
      },
    }),
    defineRoute({
      ...of,
      method: 'POST',
      path: '/api/v1/admin/plugin-changes/{change}/retry',
      id: 'adminRetryPluginChange',
      summary: 'Propose a change again that failed or was cancelled',
      request: { params: changeParams },
      responses: acceptedResponse,
      async handler({ params }) {
        return acceptedReply(await changes.retry(params.change));
      },
    }),
  ];
}
