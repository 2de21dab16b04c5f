import { icon, webPage, type NavigationItem, type PointReader, type Site, type WebPage } from '@mortise/plugin-sdk';
import type { AdminPage, AdminPageOptions } from '../api.js';

/** Pages below `/-/admin`: the menu on the left, made from what plugins contribute. */
export const makeAdminPage =
  (menu: PointReader<NavigationItem>, site: Site): AdminPage =>
  ({ active, title, actor, body, status, flash }: AdminPageOptions): WebPage =>
    webPage({
      title: `${title} · Site administration`,
      status,
      flash,
      body: (
        <div class="d-md-flex gutter-lg">
          <div class="col-12 col-md-3 mb-3">
            <nav class="menu" aria-label="Site administration">
              <h1 class="menu-heading f5">Site administration</h1>
              {menu
                .list()
                .filter((item) => item.visible?.(actor) ?? true)
                .map((item) => (
                  <a
                    key={item.key}
                    class="menu-item"
                    href={site.path(item.href)}
                    aria-current={item.key === active ? 'page' : undefined}
                  >
                    {item.icon ? icon(item.icon) : null} {item.label}
                  </a>
                ))}
            </nav>
          </div>
          <div class="col-12 col-md-9">{body}</div>
        </div>
      ),
    });
