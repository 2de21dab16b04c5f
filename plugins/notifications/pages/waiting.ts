import type { WaitingSource } from '@mortise/accounts/api';
import type { Inbox } from '../services/inbox.js';
import { threadPath, type Thread, type ThreadPresenter } from '../services/thread-presenter.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly inbox: Pick<Inbox, 'list'>;
  readonly presenter: Pick<ThreadPresenter, 'threads'>;
}

/** On the dashboard: mentions that the user has not read. */
export const waitingMentions = ({ inbox, presenter }: Deps): WaitingSource => ({
  key: 'notifications',
  order: 15,
  async lists(actor, limit) {
    const search = { statuses: ['unread'], reasons: ['mentioned'], isReadable: true } as const;
    const { items, total } = await inbox.list(actor, search, { limit, offset: 0 });
    const threads = await presenter.threads(items, actor);
    // what may not be read any more since the list was asked for has neither
    const readable = threads.filter(({ repository, subject }) => repository || subject);
    return [
      {
        label: t.later('waiting.mentions'),
        icon: 'mention',
        path: '/notifications',
        items: readable.map(itemOf),
        total,
      },
    ];
  },
});

function itemOf(thread: Thread) {
  const { repository, issue, title } = thread;
  const name = repository ? `${repository.ownerName}/${repository.name}` : '';
  return { path: threadPath(thread), title, where: issue ? `${name}#${issue.index}` : name };
}
