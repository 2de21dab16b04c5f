import type { Channels, Database } from '@mortise/plugin-sdk';
import type { SearchIndex } from '@mortise/search/api';
import type { Timeline } from '../api.js';
import { notifyPages } from '../events/live-updates.js';
import { indexEntries } from '../events/search.js';
import { commentFiles } from './attachment-kinds.js';
import type { IssueServices } from './services.js';

/** The timeline as other plugins get it. */
export function createTimeline(deps: {
  readonly issueServices: IssueServices;
  readonly channels: Channels;
  readonly database: Database;
  readonly search: SearchIndex;
}): Timeline {
  const { entries, follower, mailedFiles, timelinePresenter } = deps.issueServices;
  return {
    record: (entry) => entries.record(entry),
    byId: (id) => entries.byId(id),
    remove: (issueId, ids) =>
      deps.database.write(async () => {
        await deps.issueServices.deps.attachments.removeOf(commentFiles, ids);
        await entries.remove(issueId, ids);
        await deps.search.remove('comment', ids);
      }),
    follow: ({ entry, texts, before = [], ...written }) =>
      follower.follow({ ...written, comment: entry, before, text: texts }),
    index: (ids) => indexEntries(ids, deps),
    notifyPages: (issue, entryId) => notifyPages(issue, entryId, deps),
    mailedFiles: (files) => mailedFiles.allowed(files),
    attachMailed: (entry, files, actorId) => mailedFiles.attach(entry, files, actorId),
    comments: (list, actor) => timelinePresenter.comments(list, actor),
  };
}
