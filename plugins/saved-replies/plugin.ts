import { cache, database, definePlugin, defineService, fromPackage, pageIslands, site } from '@mortise/plugin-sdk';
import { settingsMenu, settingsPage } from '@mortise/accounts/api';
import { menuPage } from './pages/menu.js';
import { repliesPages } from './pages/settings.js';
import { SavedReplies, type SavedReply } from './services/saved-replies.js';
import { t } from './texts/index.js';

/** Shared inside this plugin only. */
const savedReplies = defineService<SavedReplies>('saved-replies.savedReplies');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [savedReplies],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(
      savedReplies,
      { cache, database },
      (services) =>
        new SavedReplies({
          database: services.database,
          cached: services.cache.query<readonly SavedReply[]>('saved-replies.lists'),
        }),
    );
    host.island('saved-replies', new URL('./pages/islands/saved-replies.js', import.meta.url));
    host.contribute(pageIslands, {
      key: 'saved-replies',
      islands: ['saved-replies'],
      visible: ({ kind }) => kind === 'user',
    });
    host.contribute(settingsMenu, {
      key: 'replies',
      label: t.later('title'),
      href: '/user/settings/replies',
      icon: 'reply',
      order: 55,
    });
    host.routes({ savedReplies, settingsPage, site }, repliesPages);
    host.routes({ savedReplies, site }, (services) => [menuPage(services)]);
  },
});
