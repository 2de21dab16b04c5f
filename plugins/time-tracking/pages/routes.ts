import {
  BadRequest,
  Forbidden,
  formText,
  Invalid,
  Joi,
  postRoute,
  reply,
  type FormValues,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import { issueResource, pathOf, type IssueContext, type Issues } from '@mortise/issues/api';
import { mustBeActive, repositoryHome } from '@mortise/repositories/api';
import { mayTrack } from '../routes/times.js';
import { trackerOf, type TimeService } from '../services/times.js';
import { t } from '../texts/index.js';

interface PageDeps {
  readonly times: TimeService;
  readonly issues: Issues;
  readonly site: Site;
  readonly isEnabled: boolean;
}

const base = '/{owner}/{repo}/issues/{index}';
const maxHours = 1000;

/** The forms of the box beside an issue. */
export function timePages({ times, issues, site, isEnabled }: PageDeps): Route[] {
  const secondsOf = (values: FormValues): number => {
    const [hours = NaN, minutes = NaN] = ['hours', 'minutes'].map((name) => Number(formText(values, name, 10) || 0));
    const isGood =
      [hours, minutes].every((one) => Number.isInteger(one) && one >= 0) && hours <= maxHours && minutes < 60;
    if (!isGood) throw Invalid(t.later('page.wrong'));
    return hours * 3600 + minutes * 60;
  };
  const form = (
    path: string,
    run: (
      found: IssueContext,
      values: FormValues,
      actorId: number,
      actor: Parameters<Issues['edit']>[3],
    ) => Promise<unknown>,
  ) =>
    postRoute(
      `${base}/${path}`,
      { actor: 'user', resource: issueResource },
      async ({ resource, payload, actor }) => {
        const { repository, issue } = resource;
        mayTrack(resource);
        mustBeActive(resource);
        if (!isEnabled || !trackerOf(repository).isOn) throw BadRequest(t.later('error.off'));
        await run(resource, payload as FormValues, actor.id, actor);
        return reply.redirect(`${repositoryHome(site, repository)}/${pathOf(issue)}`);
      },
      { payload: Joi.object().unknown() },
    );
  return [
    form('stopwatch', async ({ issue }, values, userId, actor) => {
      const action = formText(values, 'action');
      if (action === 'start') await times.start(issue, actor);
      else if (action === 'discard') await times.discard(issue, userId);
      else await times.stop(issue, userId);
    }),
    form('times', async ({ issue }, values, userId) => {
      const seconds = secondsOf(values);
      if (!seconds) throw Invalid(t.later('page.wrong'));
      await times.add(issue, userId, seconds, userId);
    }),
    form('estimate', async (found, values, _userId, actor) => {
      if (!found.may('write')) throw Forbidden(t.later('error.needsWrite'));
      await issues.edit(found.repository, found.issue, { timeEstimate: secondsOf(values) }, actor);
    }),
  ];
}
