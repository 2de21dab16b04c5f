import { BadRequest, reply, type Reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageRequest, type PackageRoute, type PackageStore } from '@mortise/packages/api';
import { Held, type States } from '../services/states.js';

/** Terraform reads a state as a whole, too. */
const maxState = 32 * 1024 * 1024;

/** 423 with the lock that is held, as the client reads it. */
async function orHeld(work: Promise<Reply>): Promise<Reply> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Held)) throw error;
    return reply.bytes(Buffer.from(error.info), 'application/json; charset=utf-8', 423);
  }
}

/** The http backend of Terraform (reference: 10.14). */
export function stateRoutes(states: States, store: PackageStore): readonly PackageRoute[] {
  const read = async (request: PackageRequest): Promise<Reply> => {
    const { owner, actor, params } = request;
    await states.checkReader(owner, actor);
    if (params.serial !== undefined && !/^\d{1,16}$/.test(params.serial)) throw BadRequest('The serial is invalid.');
    const file = await states.file(owner, params.name!, params.serial);
    return store.download(file, request, { type: 'application/json', noRedirect: true });
  };
  const at = '/state/{name}';
  return [
    { method: 'GET', path: at, needs: 'read', id: 'terraformGetState', summary: 'The newest state', handler: read },
    {
      method: 'GET',
      path: `${at}/versions/{serial}`,
      needs: 'read',
      id: 'terraformGetStateVersion',
      summary: 'The state of a serial',
      handler: read,
    },
    definePackageRoute({
      method: 'POST',
      path: at,
      needs: 'write',
      body: 'buffer',
      maxBytes: maxState,
      id: 'terraformPutState',
      summary: 'Write a state; ?ID= is that of the lock',
      handler: ({ owner, actor, params, query, headers, body }) =>
        orHeld(
          states
            .write(owner, actor, params.name!, body, { lockId: query.ID, md5: headers['content-md5'] })
            .then(() => reply.empty(201)),
        ),
    }),
    {
      method: 'DELETE',
      path: at,
      needs: 'write',
      body: 'none',
      id: 'terraformDeleteState',
      summary: 'Delete a state with all serials',
      handler: ({ owner, actor, params, query }) =>
        orHeld(states.delete(owner, actor, params.name!, query.ID).then(() => reply.empty(200))),
    },
    {
      method: 'DELETE',
      path: `${at}/versions/{serial}`,
      needs: 'write',
      body: 'none',
      id: 'terraformDeleteStateVersion',
      summary: 'Delete the state of a serial, unless it is the newest',
      handler: async ({ owner, actor, params }) => {
        await states.deleteSerial(owner, actor, params.name!, params.serial!);
        return reply.none();
      },
    },
    definePackageRoute({
      method: 'POST',
      path: `${at}/lock`,
      needs: 'write',
      body: 'buffer',
      maxBytes: 64 * 1024,
      id: 'terraformLock',
      summary: 'Lock a state',
      handler: ({ owner, params, body }) => orHeld(states.lock(owner, params.name!, body).then(() => reply.empty(200))),
    }),
    definePackageRoute({
      method: 'DELETE',
      path: `${at}/lock`,
      needs: 'write',
      body: 'buffer',
      maxBytes: 64 * 1024,
      id: 'terraformUnlock',
      summary: 'Unlock a state',
      handler: ({ owner, params, body }) =>
        orHeld(states.unlock(owner, params.name!, body).then(() => reply.empty(200))),
    }),
  ];
}
