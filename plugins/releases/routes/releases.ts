import { Joi, Problem, defineRoute, queryFlag, reply, type Route } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import { releaseSchema, type Release } from '../contract/releases.js';
import { maySeeDrafts, releaseOf, releaseOfTag } from '../services/access.js';
import { oneLine } from '../services/tag-names.js';
import type { ReleaseServices } from '../services/services.js';
import { base, byId, readReleases, tags, writeReleases } from './route-options.js';
import { t } from '../texts/index.js';

const words = (max: number) => Joi.string().allow('', null).max(max);
const flag = () => Joi.boolean().allow(null);
interface ListQuery {
  readonly draft?: boolean;
  readonly 'pre-release'?: boolean;
  readonly q?: string;
  readonly tag_filter?: string;
}

const listQuery = Joi.object<ListQuery>({
  draft: queryFlag().description('Only drafts, or none; drafts are for those who may write'),
  'pre-release': queryFlag().description('Only pre-releases, or none'),
  q: Joi.string().allow('').max(255).description('Part of the title or tag'),
  tag_filter: Joi.string()
    .allow('')
    .max(255)
    .description('The whole tag, without regard to case; * stands for any text (REL-01 to REL-04)'),
});
interface CreateBody {
  readonly tag_name: string;
  readonly target_commitish?: string | null;
  readonly name?: string | null;
  readonly body?: string | null;
  readonly draft?: boolean | null;
  readonly prerelease?: boolean | null;
  readonly tag_message?: string | null;
}

const createBody = Joi.object<CreateBody>({
  tag_name: Joi.string().max(191).required(),
  target_commitish: words(255).description('Branch or commit for a tag that has to be made'),
  name: words(255),
  body: words(5_000_000).description('Markdown'),
  draft: flag(),
  prerelease: flag(),
  tag_message: words(1_000_000).description('Makes the new tag an annotated one with this message (REL-05)'),
}).label('CreateReleaseOption');
interface EditBody {
  readonly tag_name?: string | null;
  readonly target_commitish?: string | null;
  readonly name?: string | null;
  readonly body?: string | null;
  readonly draft?: boolean | null;
  readonly prerelease?: boolean | null;
}

const editBody = Joi.object<EditBody>({
  tag_name: words(191),
  target_commitish: words(255),
  name: words(255),
  body: words(5_000_000),
  draft: flag(),
  prerelease: flag(),
}).label('EditReleaseOption');

interface NotesBody {
  readonly tag_name: string;
  readonly target_commitish?: string | null;
  readonly previous_tag_name?: string | null;
  readonly configuration_file_path?: string | null;
}

/** https://docs.github.com/en/rest/releases/releases#generate-release-notes-content-for-a-release */
const notesBody = Joi.object<NotesBody>({
  tag_name: Joi.string().max(191).required(),
  target_commitish: words(255).description('Branch or commit of a tag that is not there yet'),
  previous_tag_name: words(191).description('Default: the nearest tag in the history'),
  configuration_file_path: words(500).description('Default: release.yml in .mortise, .gitea or .github'),
}).label('GenerateReleaseNotesOption');

const notesSchema = Joi.object<{ name: string; body: string }>({
  name: Joi.string().required(),
  body: Joi.string().required().description('Markdown'),
}).label('ReleaseNotes');

/** What these routes share. */
function releaseContext({ reader, presenter, releases, notes }: ReleaseServices) {
  const show = async ({ repository }: RepositoryContext, release: Release) =>
    (await presenter.toApi(repository, [release]))[0];
  return { reader, presenter, releases, notes, show };
}

type ReleaseRouteContext = ReturnType<typeof releaseContext>;

const repoListReleases = ({ reader, presenter }: ReleaseRouteContext) =>
  defineRoute({
    method: 'GET',
    path: base,
    id: 'repoListReleases',
    tags,
    summary: 'Releases, newest first (REL-01)',
    access: readReleases,
    request: { query: listQuery },
    responses: { 200: Joi.array().items(releaseSchema).label('ReleaseList') },
    async handler({ actor, resource, query, page }) {
      const { items, total } = await reader.list({
        repositoryId: resource.repository.id,
        includeDrafts: maySeeDrafts(resource, actor),
        isDraft: query.draft,
        isPrerelease: query['pre-release'],
        tagFilter: query.tag_filter,
        text: query.q,
        limit: page.limit,
        offset: page.offset,
      });
      return reply.list(await presenter.toApi(resource.repository, items), total);
    },
  });

const repoCreateRelease = ({ releases, show }: ReleaseRouteContext) =>
  defineRoute({
    method: 'POST',
    path: base,
    id: 'repoCreateRelease',
    tags,
    summary: 'Release a tag; makes the tag when it is not there (REL-05)',
    access: writeReleases,
    request: { payload: createBody },
    responses: { 201: releaseSchema, 404: null, 409: null },
    async handler({ actor, resource, payload }) {
      const release = await releases.create(
        resource.repository,
        {
          tagName: payload.tag_name,
          target: payload.target_commitish ?? '',
          title: payload.name ?? '',
          note: payload.body ?? '',
          tagMessage: payload.tag_message ?? '',
          isDraft: payload.draft ?? false,
          isPrerelease: payload.prerelease ?? false,
        },
        { actor, source: 'api' },
      );
      return reply.created(await show(resource, release));
    },
  });

const repoGenerateReleaseNotes = ({ notes }: ReleaseRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/generate-notes`,
    id: 'repoGenerateReleaseNotes',
    tags,
    summary: 'Notes from the pull requests that were merged since the release before; stores nothing',
    access: writeReleases,
    request: { payload: notesBody },
    responses: { 200: notesSchema, 404: null, 422: null },
    handler: ({ resource, payload }) =>
      notes.generate(resource, {
        tagName: payload.tag_name,
        target: payload.target_commitish ?? '',
        previousTag: payload.previous_tag_name ?? '',
        configPath: payload.configuration_file_path ?? '',
      }),
  });

const repoGetLatestRelease = ({ reader, show }: ReleaseRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/latest`,
    id: 'repoGetLatestRelease',
    tags,
    summary: 'The newest that is neither draft nor pre-release',
    access: readReleases,
    responses: { 200: releaseSchema, 404: null },
    async handler({ resource }) {
      const latest = await reader.latest(resource.repository.id);
      if (!latest) throw new Problem('not_found', t.later('error.none'));
      return show(resource, latest);
    },
  });

const repoGetReleaseByTag = ({ show, reader }: ReleaseRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/tags/{tag*}`,
    id: 'repoGetReleaseByTag',
    tags,
    summary: 'The release of a tag',
    access: readReleases,
    responses: { 200: releaseSchema, 404: null },
    handler: async ({ actor, resource, params }) =>
      show(resource, await releaseOfTag(reader, resource, params.tag, actor)),
  });

const repoDeleteReleaseByTag = ({ reader, releases }: ReleaseRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${base}/tags/{tag*}`,
    id: 'repoDeleteReleaseByTag',
    tags,
    summary: 'Delete the release of a tag; the tag stays',
    access: writeReleases,
    responses: { 204: null, 404: null, 422: null },
    async handler({ actor, resource, params }) {
      const release = await releaseOfTag(reader, resource, params.tag, actor);
      await releases.delete(resource.repository, release, { actor, source: 'api' });
      return reply.none();
    },
  });

const repoGetRelease = ({ show, reader }: ReleaseRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/{id}`,
    id: 'repoGetRelease',
    tags,
    summary: 'One release',
    access: readReleases,
    request: { params: byId },
    responses: { 200: releaseSchema, 404: null },
    handler: async ({ actor, resource, params }) => show(resource, await releaseOf(reader, resource, params.id, actor)),
  });

const repoEditRelease = ({ reader, releases, show }: ReleaseRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: `${base}/{id}`,
    id: 'repoEditRelease',
    tags,
    summary: 'Change a release; empty texts are passed over',
    access: writeReleases,
    request: { params: byId, payload: editBody },
    responses: { 200: releaseSchema, 404: null, 409: null },
    async handler({ actor, resource, params, payload }) {
      const release = await releaseOf(reader, resource, params.id, actor);
      const edited = await releases.edit(
        resource.repository,
        release,
        {
          tagName: payload.tag_name || undefined,
          target: payload.target_commitish || undefined,
          title: oneLine(payload.name ?? '') || undefined,
          note: payload.body || undefined,
          isDraft: payload.draft ?? undefined,
          isPrerelease: payload.prerelease ?? undefined,
        },
        { actor, source: 'api' },
      );
      return show(resource, edited);
    },
  });

const repoDeleteRelease = ({ reader, releases }: ReleaseRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${base}/{id}`,
    id: 'repoDeleteRelease',
    tags,
    summary: 'Delete a release; its tag stays',
    access: writeReleases,
    request: { params: byId },
    responses: { 204: null, 404: null, 422: null },
    async handler({ actor, resource, params }) {
      const release = await releaseOf(reader, resource, params.id, actor);
      await releases.delete(resource.repository, release, { actor, source: 'api' });
      return reply.none();
    },
  });

/** REL-01 … REL-05: the releases of a repository over the API. */
export function releaseRoutes(deps: ReleaseServices): Route[] {
  const context = releaseContext(deps);
  return [
    repoListReleases(context),
    repoCreateRelease(context),
    repoGenerateReleaseNotes(context),
    repoGetLatestRelease(context),
    repoGetReleaseByTag(context),
    repoDeleteReleaseByTag(context),
    repoGetRelease(context),
    repoEditRelease(context),
    repoDeleteRelease(context),
  ];
}
