import { defineRoute, Joi, reply, type Route } from '@mortise/plugin-sdk';
import type { AuditLog } from '../services/audit-log.js';
import { toApiEntry, type ApiEntry } from '../services/presenter.js';
import { filterOf, filterQuery, type FilterQuery } from './filter-query.js';
import type { Level } from './levels.js';

const idAndName = { id: Joi.number().integer().required(), name: Joi.string().allow('').required() };
const named = Joi.object(idAndName).label('AuditLogName');
const entrySchema = Joi.object<ApiEntry>({
  id: Joi.number().integer().required(),
  created_at: Joi.string().required(),
  action: Joi.string().required(),
  actor: named.allow(null).required(),
  way: Joi.string().valid('page', 'api', 'git', 'protocol', 'command', 'background').required(),
  credential: Joi.object({ kind: Joi.string().required(), id: Joi.number().integer().required() })
    .label('AuditLogCredential')
    .allow(null)
    .required(),
  sudo_by: Joi.number().integer().required(),
  address: Joi.string().allow('').required(),
  user: named.allow(null).required(),
  owner: named.allow(null).required(),
  repository: named.allow(null).required(),
  target: Joi.object({ kind: Joi.string().required(), ...idAndName })
    .label('AuditLogTarget')
    .required(),
  details: Joi.object().pattern(Joi.string(), Joi.any()).required(),
}).label('AuditLogEntry');

interface ListQuery extends FilterQuery {
  readonly limit: number;
}
interface ExportQuery extends FilterQuery {
  readonly format: 'csv' | 'jsonl';
}

/** A log and its export. */
export const logRoutes = (log: AuditLog, level: Level): Route[] => {
  const { path, name, summary, tag, params, access } = level;
  return [
    defineRoute({
      method: 'GET',
      path,
      id: `list${name}`,
      tags: [tag],
      summary: `Read ${summary}, newest first; a page begins before the last id of the page before it`,
      access,
      request: {
        params: Joi.object(params),
        query: Joi.object<ListQuery>({
          ...filterQuery,
          limit: Joi.number().integer().min(1).max(100).default(50).description('Entries per page'),
        }),
      },
      responses: { 200: Joi.array().items(entrySchema).label('AuditLogEntryList') },
      async handler(context) {
        const { limit, ...query } = context.query;
        const scope = level.scope(context);
        const rows = await log.finder.list(scope, filterOf(query), limit);
        return reply.json(rows.map((row) => toApiEntry(row, scope)));
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/export`,
      id: `export${name}`,
      tags: [tag],
      summary: `Export ${summary} as CSV or JSON lines`,
      access,
      request: {
        params: Joi.object(params),
        query: Joi.object<ExportQuery>({
          ...filterQuery,
          format: Joi.string().valid('csv', 'jsonl').default('jsonl').description('`csv` or `jsonl`'),
        }),
      },
      responses: { 200: Joi.any().description('text/csv or application/x-ndjson, a line an entry') },
      handler(context) {
        const { format, ...query } = context.query;
        return log.export(level.scope(context), filterOf(query), format);
      },
    }),
  ];
};
