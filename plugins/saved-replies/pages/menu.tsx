import type { VNode } from 'preact';
import { icon, Menu, pageRoute, webPage, type Route, type Site } from '@mortise/plugin-sdk';
import type { SavedReplies, SavedReply } from '../services/saved-replies.js';
import { t } from '../texts/index.js';

interface MenuProps {
  readonly replies: readonly SavedReply[];
  /** Address of the page that lists them. */
  readonly manage: string;
}

const RepliesMenu = ({ replies, manage }: MenuProps): VNode => (
  <Menu button={icon('reply')} label={t('title')} class="btn btn-sm btn-invisible">
    <ul class="list-style-none saved-replies">
      {replies.map(({ id, title, text }) => (
        <li key={id}>
          <button class="dropdown-item width-full text-left" type="button" data-reply={text}>
            {title}
          </button>
        </li>
      ))}
      <li>
        <a class="dropdown-item" href={manage}>
          {t('menu.manage')}
        </a>
      </li>
    </ul>
  </Menu>
);

/** The menu for editors, which their script fetches. */
export const menuPage = ({ savedReplies, site }: { savedReplies: SavedReplies; site: Site }): Route =>
  pageRoute('/user/settings/replies/menu', { actor: 'user' }, async ({ actor }) => {
    const replies = await savedReplies.list(actor.id);
    const manage = site.path('/user/settings/replies');
    return webPage(() => ({ title: '', fragment: true, body: <RepliesMenu replies={replies} manage={manage} /> }));
  });
