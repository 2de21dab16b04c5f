import { Joi, pageRoute, type Route } from '@mortise/plugin-sdk';
import { filterOf, filterQuery, type FilterQuery } from '../routes/filter-query.js';
import type { AuditLog } from '../services/audit-log.js';
import type { PageLevel } from './levels.js';
import { Log } from './log.js';

const pageSize = 50;

interface ExportQuery extends FilterQuery {
  readonly format: 'csv' | 'jsonl';
}

/** The page of a log, and the downloads that it links to. */
export const logPages = (log: AuditLog, level: PageLevel): Route[] => [
  pageRoute(
    level.path,
    level.access,
    async (context) => {
      const { query } = context;
      const scope = level.scope(context);
      const rows = await log.finder.list(scope, filterOf(query), pageSize + 1);
      return level.frame(context, {
        title: level.title,
        body: (
          <Log
            rows={rows.slice(0, pageSize)}
            scope={scope}
            title={level.title}
            about={level.about}
            base={level.base(context)}
            query={query}
            more={rows.length > pageSize}
          />
        ),
      });
    },
    { params: Joi.object(level.params), query: Joi.object<FilterQuery>(filterQuery) },
  ),
  pageRoute(
    `${level.path}/export`,
    level.access,
    (context) => {
      const { format, ...query } = context.query;
      return log.export(level.scope(context), filterOf(query), format);
    },
    {
      params: Joi.object(level.params),
      query: Joi.object<ExportQuery>({ ...filterQuery, format: Joi.string().valid('csv', 'jsonl').default('jsonl') }),
    },
  ),
];
