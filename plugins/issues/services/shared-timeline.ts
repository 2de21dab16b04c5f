import type { Channels, Database } from '@mortise/plugin-sdk';
import type { SearchIndex } from '@mortise/search/api';
import type { Timeline } from '../api.js';
import { tellPages } from '../events/live.js';
import { indexEntries } from '../events/search.js';
import { commentFiles } from './files.js';
import type { IssueServices } from './services.js';

/** The timeline as other plugins get it. */
export function timelineOf(parts: {
  readonly issueServices: IssueServices;
  readonly channels: Channels;
  readonly database: Database;
  readonly search: SearchIndex;
}): Timeline {
  const { entries, follower, timelinePresenter } = parts.issueServices;
  return {
    record: (entry) => entries.record(entry),
    byId: (id) => entries.byId(id),
    remove: (issueId, ids) =>
      parts.database.write(async () => {
        await parts.issueServices.parts.attachments.removeOf(commentFiles, ids);
        await entries.remove(issueId, ids);
        await parts.search.remove('comment', ids);
      }),
    follow: ({ entry, texts, before = [], ...written }) =>
      follower.follow({ ...written, comment: entry, before, text: texts }),
    index: (ids) => indexEntries(ids, parts),
    tellPages: (issue, entryId) => tellPages(issue, entryId, parts),
    comments: (list, actor) => timelinePresenter.comments(list, actor),
  };
}
