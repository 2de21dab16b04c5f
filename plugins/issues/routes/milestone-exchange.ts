import { Readable } from 'node:stream';
import { Joi, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { mustBeActive } from '@mortise/repositories/api';
import { milestoneSchema } from '../api.js';
import { exchangedMilestones, maxImportBytes, milestoneExchangeDocument } from '../services/exchange-format.js';
import type { MilestoneExchange } from '../services/milestone-exchange.js';
import { toApiMilestone } from '../services/issue-presenter.js';
import { base, readRepository, tags, writeRepository } from './route-options.js';

/** Milestones in the exchange format (MIG-02 to MIG-10, VER-13). */
export function milestoneExchangeRoutes({ exchange }: { readonly exchange: MilestoneExchange }): Route[] {
  const path = `${base}/milestones.json` as const;
  return [
    defineRoute({
      method: 'GET',
      path,
      id: 'repoExportMilestones',
      tags,
      summary: 'All milestones of a repository in the exchange format, the oldest first',
      access: readRepository,
      responses: { 200: exchangedMilestones },
      handler: ({ resource }) =>
        reply.bytes(
          Readable.from(exchange.export(resource.repository.id), { objectMode: false }),
          'application/json; charset=utf-8',
        ),
    }),
    defineRoute({
      method: 'POST',
      path,
      id: 'repoImportMilestones',
      tags,
      summary:
        'Import milestones of the exchange format, all or none; those whose title is there already stay as they are',
      access: writeRepository,
      payload: { as: 'buffer', maxBytes: maxImportBytes, allow: ['application/json'] },
      responses: { 201: Joi.array().items(milestoneSchema).label('MilestoneList'), 413: null, 422: null },
      async handler({ resource, payload }) {
        mustBeActive(resource);
        const milestones = exchange.read(payload.toString('utf8'));
        const made = await exchange.import(resource.repository.id, milestones);
        return reply.created(made.map(toApiMilestone));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/-/schemas/milestone.json',
      surface: 'protocol',
      summary: 'JSON Schema (draft-04) of the exchange format of milestones',
      access: { actor: 'anyone', always: true },
      handler: () => reply.json(milestoneExchangeDocument),
    }),
  ];
}
