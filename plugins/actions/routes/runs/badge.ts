import { pageRoute, Joi, reply, type Database, type Route } from '@mortise/plugin-sdk';
import { repositoryResource } from '@mortise/repositories/api';
import { statusName, type StatusName } from '../../contract/states.js';
import { RunRow } from '../../models/run.js';

const colors: Readonly<Partial<Record<StatusName, string>>> = {
  success: '#4c1',
  failure: '#e05d44',
  cancelled: '#fe7d37',
  waiting: '#dfb317',
  running: '#dfb317',
  blocked: '#dfb317',
  cancelling: '#dfb317',
  skipped: '#dfb317',
};

const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
/** Approximate width of a letter: there is no font to measure here. */
const widthOf = (text: string): number => Math.round([...text].length * 6.6) + 10;

/** A picture of two words, the second on a colour. */
function renderBadge(label: string, word: string, color: string, isSquare: boolean): string {
  const [left, right] = [widthOf(label), widthOf(word)];
  const width = left + right;
  const text = (x: number, statusText: string) => `<text x="${x}" y="14">${escapeXml(statusText)}</text>`;
  const round = isSquare ? '0' : '3';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${escapeXml(`${label}: ${word}`)}"><clipPath id="r"><rect width="${width}" height="20" rx="${round}"/></clipPath><g clip-path="url(#r)"><rect width="${left}" height="20" fill="#555"/><rect x="${left}" width="${right}" height="20" fill="${color}"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">${text(left / 2, label)}${text(left + right / 2, word)}</g></svg>`;
}

interface BadgeQuery {
  readonly branch?: string;
  readonly event?: string;
  readonly style?: string;
}

/** How the newest run of a workflow stands, as a picture for other pages. */
export function badgeRoutes({ database }: { readonly database: Database }): Route[] {
  const text = Joi.string().allow('').max(500);
  return [
    pageRoute(
      '/{owner}/{repo}/actions/workflows/{file}/badge.svg',
      { actor: 'anyone', resource: repositoryResource, unit: 'actions' },
      async ({ resource, params, query }) => {
        const { repository } = resource;
        const newest = await database
          .query(RunRow)
          .where({ repository_id: repository.id, workflow_id: params.file, is_scoped_run: false })
          .where('head_branch', query.branch || repository.defaultBranch)
          .where((builder) => void (query.event ? builder.where('trigger_event', query.event) : builder))
          .orderBy('id', 'desc')
          .select('status')
          .first();
        const word = newest ? statusName(newest.status) : 'no status';
        const color = (newest && colors[statusName(newest.status)]) ?? '#9f9f9f';
        const label = params.file.replace(/\.ya?ml$/, '');
        const svg = renderBadge(label, word, color, query.style === 'flat-square');
        return reply.bytes(Buffer.from(svg), 'image/svg+xml').header('cache-control', 'no-cache');
      },
      { query: Joi.object<BadgeQuery>({ branch: text, event: text, style: text }).unknown() },
    ),
  ];
}
