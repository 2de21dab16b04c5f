import {
  defineRoute,
  feedReply,
  preformatted,
  type FeedEntry,
  type FeedForm,
  type Languages,
  type Route,
} from '@mortise/plugin-sdk';
import type { Markup, Viewer } from '@mortise/markup/api';
import type { Repository } from '@mortise/repositories/api';
import type { Release } from '../contract/releases.js';
import { encoded } from '../services/release-presenter.js';
import type { ReleaseServices } from '../services/services.js';
import { NoteRenderer } from '../services/notes.js';
import { readReleases } from './route-options.js';
import { t } from '../texts/index.js';

const maxEntries = 30;

/** What is new, for feed readers: releases, or all tags with what was released on them. */
export function feedRoutes(releaseServices: ReleaseServices, markup: Markup, languages: Languages): Route[] {
  const { reader, presenter } = releaseServices;
  const { accounts, git: gitReader, repositories, site } = releaseServices.deps;
  const notes = new NoteRenderer(markup, site);

  const entriesOf = async (
    repository: Repository,
    releases: readonly Release[],
    viewer: Viewer,
  ): Promise<FeedEntry[]> => {
    const users = await accounts.byIds([...new Set(releases.map((release) => release.authorId))].filter(Boolean));
    return Promise.all(
      releases.map(async (release) => {
        const link = presenter.htmlUrl(repository, release);
        return {
          id: link,
          title: release.title || release.tagName,
          link,
          at: release.publishedAt,
          author: users.get(release.authorId)?.name ?? accounts.ghost().login,
          html: (await notes.html(repository, release, { whole: true, viewer })).html,
        };
      }),
    );
  };
  /** Of tags that were released, what was released is told to readers of releases alone. */
  const tagEntries = async (repository: Repository, viewer: Viewer, readsReleases: boolean): Promise<FeedEntry[]> => {
    const git = gitReader.open(repository.id);
    const tags = await git.tags();
    // Of very many tags the last by name are looked at; their times are not known before.
    const looked = tags.slice(-1000);
    const rows = await Promise.all(
      looked.map(async (ref) => {
        const peeled = await git.peel(ref.oid);
        return peeled?.type === 'commit' ? { ref, commit: peeled.oid } : undefined;
      }),
    );
    const known = rows.filter((row) => row !== undefined);
    const commits = new Map((await git.commits(known.map((row) => row.commit))).map((commit) => [commit.oid, commit]));
    const newest = known
      .flatMap(({ ref, commit }) => (commits.has(commit) ? [{ ref, commit: commits.get(commit)! }] : []))
      .sort((one, other) => other.commit.committer.time - one.commit.committer.time)
      .slice(0, maxEntries);
    const names = readsReleases ? newest.map(({ ref }) => ref.name) : [];
    const released = await reader.byTags(repository.id, names);
    const shown = new Map<string, FeedEntry>();
    const list = [...released.values()];
    (await entriesOf(repository, list, viewer)).forEach((entry, index) => shown.set(list[index]!.tagName, entry));
    return newest.map(({ ref, commit }) => {
      const link = `${repositories.htmlUrl(repository)}/src/tag/${encoded(ref.name)}`;
      return (
        shown.get(ref.name) ?? {
          id: link,
          title: ref.name,
          link,
          at: commit.committer.time,
          author: commit.author.name,
          html: preformatted(commit.message),
        }
      );
    });
  };

  const feed = (word: 'releases' | 'tags', form: FeedForm) =>
    defineRoute({
      method: 'GET',
      path: `/{owner}/{repo}/${word}.${form}`,
      surface: 'protocol',
      access: word === 'tags' ? { ...readReleases, unit: 'code' } : readReleases,
      async handler(context) {
        const { repository } = context.resource;
        const found =
          word === 'releases'
            ? await entriesOf(
                repository,
                (await reader.list({ repositoryId: repository.id, limit: maxEntries, offset: 0 })).items,
                context,
              )
            : await tagEntries(repository, context, context.resource.may('read', 'releases'));
        const path = `${repository.ownerName}/${repository.name}`;
        const link = `${repositories.htmlUrl(repository)}/${word}`;
        // readers of feeds say nothing of languages: in that of the site
        const title = languages.in('', () => t(`feed.${word}`, { name: path }));
        const entries = found.sort((one, other) => other.at - one.at);
        return feedReply(form, { title, page: link, self: `${link}.${form}`, entries });
      },
    });

  return (['releases', 'tags'] as const).flatMap((word) => [feed(word, 'rss'), feed(word, 'atom')]);
}
