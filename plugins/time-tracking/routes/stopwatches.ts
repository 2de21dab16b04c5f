import { BadRequest, Joi, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { IssueContext } from '@mortise/issues/api';
import { mustBeActive, repositoryApi } from '@mortise/repositories/api';
import { stopwatchSchema } from '../services/present.js';
import { trackerOf } from '../services/times.js';
import { mayTrack, ofIssue, type TimeDeps } from './times.js';
import { t } from '../texts/index.js';

/** Stopwatches (ISS-17 to ISS-19). */
export function stopwatchRoutes({ times, presenter, isEnabled }: TimeDeps): Route[] {
  const one = `${repositoryApi}/issues/{index}/stopwatch` as const;
  const checked = (resource: IssueContext) => {
    mayTrack(resource);
    if (!isEnabled || !trackerOf(resource.repository).isOn) throw BadRequest(t.later('error.off'));
    return resource.issue;
  };
  return [
    defineRoute({
      method: 'POST',
      path: `${one}/start`,
      id: 'issueStartStopWatch',
      tags: ['issue'],
      summary: 'Start a stopwatch; one on another issue is stopped',
      access: ofIssue,
      responses: { 201: null, 400: null, 404: null, 409: null, 423: null },
      async handler({ actor, resource }) {
        mustBeActive(resource);
        await times.start(checked(resource), actor);
        return reply.created();
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${one}/stop`,
      id: 'issueStopStopWatch',
      tags: ['issue'],
      summary: 'Stop a stopwatch and keep its time',
      access: ofIssue,
      responses: { 201: null, 400: null, 404: null, 409: null, 423: null },
      async handler({ actor, resource }) {
        mustBeActive(resource);
        await times.stop(checked(resource), actor.id);
        return reply.created();
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${one}/delete`,
      id: 'issueDeleteStopWatch',
      tags: ['issue'],
      summary: 'Discard a stopwatch',
      access: ofIssue,
      responses: { 204: null, 400: null, 404: null, 409: null },
      async handler({ actor, resource }) {
        await times.discard(checked(resource), actor.id);
        return reply.none();
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/user/stopwatches',
      id: 'userGetStopWatches',
      tags: ['user'],
      summary: 'Stopwatches that run',
      access: { actor: 'user', scope: ['user', 'issue'], noPublicOnly: true },
      responses: { 200: Joi.array().items(stopwatchSchema).label('StopWatchList') },
      async handler({ actor, page }) {
        const running = await times.running(actor);
        const all = running ? await presenter.stopwatches([running]) : [];
        return reply.list(page.offset === 0 ? all : [], all.length);
      },
    }),
  ];
}
