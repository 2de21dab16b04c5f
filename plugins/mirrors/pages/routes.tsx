import {
  formRoute,
  formStatus,
  isChecked,
  NotFound,
  pageRoute,
  Problem,
  savedFlash,
  type Flash,
  type FormValues,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import {
  administerPage,
  mustBeActive,
  repositoryHome,
  repositoryPageContext,
  type RepositoryPages,
  type RepositoryRoute,
} from '@mortise/repositories/api';
import type { PullMirrorService } from '../services/pull-mirrors.js';
import type { PushMirrorService } from '../services/push-mirrors.js';
import type { RunLog } from '../services/runs.js';
import type { MirrorSettings } from '../settings.js';
import { pullOptionInput, remoteInput } from './mirror-fields.js';
import { NoPullMirror, PullSection } from './pull.js';
import { PushSection, pushPrefix } from './push.js';
import { RunsSection } from './runs.js';
import { shortInterval } from '../services/interval.js';
import { t } from '../texts/index.js';

interface MirrorPageDeps {
  readonly pullMirrors: PullMirrorService;
  readonly pushMirrors: PushMirrorService;
  readonly runs: RunLog;
  readonly pages: RepositoryPages;
  readonly site: Site;
  readonly settings: Readonly<MirrorSettings>;
}

const path = '/{owner}/{repo}/settings/mirrors';
const runsPerPage = 20;

/** Settings → Mirrors: what the repository follows, what follows it, and the log of both. */
export function mirrorPages(deps: MirrorPageDeps): Route[] {
  const { pullMirrors, pushMirrors, site } = deps;
  const page = mirrorPage(deps);
  const base = ({ resource }: RepositoryRoute) => `${repositoryHome(site, resource.repository)}/settings/mirrors`;
  const form = (below: string, run: (context: RepositoryRoute, values: FormValues) => Promise<string>): Route =>
    formRoute(
      `${path}${below}`,
      administerPage,
      async (context, values) => {
        mustBeActive(context.resource);
        return `${base(context)}?${await run(context, values)}`;
      },
      page,
    );
  const ofPush = async (context: RepositoryRoute) => {
    const row = await pushMirrors.byName(
      context.resource.repository.id,
      (context.params as { readonly name?: string }).name ?? '',
    );
    if (!row) throw NotFound('push mirror');
    return row;
  };
  return [
    pageRoute(path, administerPage, (context) =>
      page(context, undefined, savedFlash(context.query) ?? requestedFlash(context.query)),
    ),
    form('', async ({ resource: { repository } }, values) => {
      await pullMirrors.change(repository, pullInput(values));
      return 'saved=1';
    }),
    form('/sync', async ({ resource: { repository } }) => {
      if (!repository.mirror) throw NotFound('mirror');
      await pullMirrors.requestSync(repository.id);
      return 'requested=1';
    }),
    form('/convert', async ({ resource: { repository } }) => {
      await pullMirrors.convert(repository);
      return 'saved=1';
    }),
    form('/push', async ({ actor, resource: { repository } }, values) => {
      await withPrefix(pushPrefix, () => pushMirrors.create(repository, pushInput(values), actor));
      return 'saved=1';
    }),
    form('/push/{name}/sync', async (context) => {
      await pushMirrors.requestSync(await ofPush(context));
      return 'requested=1';
    }),
    form('/push/{name}/delete', async (context) => {
      const row = await ofPush(context);
      await pushMirrors.delete(row.repository_id, row.name);
      return `deleted=${encodeURIComponent(row.remote_url)}`;
    }),
  ];
}

function mirrorPage({ pullMirrors, pushMirrors, runs, pages, site, settings }: MirrorPageDeps) {
  const intervals = {
    minInterval: shortInterval(settings.MIN_INTERVAL),
    defaultInterval: shortInterval(settings.DEFAULT_INTERVAL),
  };
  return async (context: RepositoryRoute, sent?: FormValues, flash?: Flash) => {
    const { actor } = context;
    const { repository } = context.resource;
    const { page: number } = context.page;
    const base = `${repositoryHome(site, repository)}/settings/mirrors`;
    const offset = (number - 1) * runsPerPage;
    const [pull, pushes, found] = await Promise.all([
      repository.mirror ? pullMirrors.of(repository.id) : undefined,
      pushMirrors.all(repository.id),
      runs.list(repository.id, { limit: runsPerPage + 1, offset }),
    ]);
    const sentWith = (field: string) => (sent?.[field] === undefined ? undefined : sent);
    return pages.settingsPage(repositoryPageContext(context), 'mirrors', () => ({
      title: t('page.title'),
      status: formStatus(flash),
      flash,
      body: (
        <>
          {pull ? <PullSection row={pull} base={base} sent={sentWith('address')} {...intervals} /> : <NoPullMirror />}
          <PushSection
            rows={pushes}
            base={base}
            sent={sentWith(`${pushPrefix}address`)}
            mayAdd={pushMirrors.mayCreate(actor) && !repository.isArchived}
            {...intervals}
          />
          <RunsSection
            runs={found.slice(0, runsPerPage)}
            targets={new Map(pushes.map(({ id, remote_url: url }) => [id, url]))}
            page={number}
            hasMore={found.length > runsPerPage}
            base={base}
          />
        </>
      ),
    }));
  };
}

const requestedFlash = (query: object): Flash | undefined =>
  'requested' in query ? { kind: 'success', text: t.later('pull.requested') } : undefined;

const pullInput = (values: FormValues) => ({ ...remoteInput(values), ...pullOptionInput(values) });

const pushInput = (values: FormValues) => ({
  ...remoteInput(values, pushPrefix),
  syncOnCommit: isChecked(values, 'push_commits'),
  lfs: isChecked(values, 'push_lfs'),
  useSsh: isChecked(values, 'push_ssh'),
});

/** What is wrong stands beside the fields, whose names have a prefix on this page. */
async function withPrefix<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!Problem.is(error)) throw error;
    const inputs = Object.fromEntries(Object.entries(error.inputs).map(([name, text]) => [`${prefix}${name}`, text]));
    throw new Problem(error.code, error.text, { inputs });
  }
}
