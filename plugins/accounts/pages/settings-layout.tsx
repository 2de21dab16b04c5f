import { icon, webPage, type NavigationItem, type PointReader, type Site } from '@mortise/plugin-sdk';
import type { SettingsPage } from '../api.js';

/** Pages below `/user/settings`: the menu on the left, made from what plugins contribute. */
export const makeSettingsPage =
  (menu: PointReader<NavigationItem>, site: Site): SettingsPage =>
  ({ active, title, actor, body, status, flash }) =>
    webPage({
      title: `${title} · Settings`,
      status,
      flash,
      body: (
        <div>
          <h1 class="sr-only">Settings of {actor.name}</h1>
          <div class="d-md-flex gutter-lg">
            <div class="col-12 col-md-3 mb-3">
              <nav class="menu" aria-label="Settings">
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
        </div>
      ),
    });
