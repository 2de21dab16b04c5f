import type { VNode } from 'preact';
import { textOf } from './language.js';
import { Blankslate, SearchBox } from './list-components.js';
import { Section, type MenuEntry } from './page-components.js';
import type { NamedSetting } from './plugin.js';
import { t } from './texts/index.js';
import { wordMatcher } from './word-match.js';

/** A page of settings, and which of its settings were looked for; all of them where the page itself fits. */
interface SettingsMatch {
  readonly entry: MenuEntry;
  readonly settings: readonly NamedSetting[];
}

/**
 * The settings behind a menu that have all words in their label, their choices or the name of their page, in the order
 * of the menu; all settings without words. Called while a page is rendered.
 */
function searchSettings(entries: readonly MenuEntry[], words: string): SettingsMatch[] {
  const fits = wordMatcher(words);
  return entries.flatMap((entry) => {
    const all = entry.settings ?? [];
    if (fits([entry.label])) return [{ entry, settings: all }];
    const settings = all.filter(({ label, also = [] }) => fits([entry.label, label, ...also]));
    return settings.length ? [{ entry, settings }] : [];
  });
}

interface SettingsSearchPageProps {
  /** Of the menu whose pages are searched. */
  readonly entries: readonly MenuEntry[];
  /** What was asked for. */
  readonly query: string;
}

/** The page that a search in settings leads to. */
export function SettingsSearchPage({ entries, query }: SettingsSearchPageProps): VNode {
  const found = searchSettings(entries, query);
  return (
    <Section title={t('settings.search')}>
      <SearchBox value={query} label={t('settings.search')} />
      {found.length === 0 ? (
        <Blankslate title={t('settings.none')} icon="search" level={3}>
          <p>{t('settings.noneText')}</p>
        </Blankslate>
      ) : (
        found.map(({ entry, settings }) => (
          <div class="Box mb-3" key={entry.key}>
            <div class="Box-header">
              <h3 class="Box-title">
                <a href={entry.href}>{textOf(entry.label)}</a>
              </h3>
            </div>
            {settings.length ? (
              <ul>
                {settings.map(({ label, field }) => (
                  <li class="Box-row" key={field ?? textOf(label)}>
                    <a href={field ? `${entry.href}#${field}` : entry.href}>{textOf(label)}</a>
                  </li>
                ))}
              </ul>
            ) : null}
          </div>
        ))
      )}
    </Section>
  );
}
