import type { VNode } from 'preact';
import {
  Blankslate,
  formatNumber,
  Joi,
  pageRoute,
  SearchBox,
  Section,
  type SettingState,
  type Route,
  type SettingList,
  type Site,
} from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { AdminPage } from '../api.js';

interface ConfigurationProps {
  readonly settings: readonly SettingState[];
  readonly text: string;
  readonly changedOnly: boolean;
  readonly action: string;
}

const Value = ({ setting }: { readonly setting: SettingState }): VNode =>
  setting.isSecret ? (
    <span class="color-fg-muted">{t(setting.isSet ? 'configuration.hidden' : 'configuration.notSet')}</span>
  ) : setting.value === '' ? (
    <span class="color-fg-muted">{t('configuration.empty')}</span>
  ) : (
    <code class="wb-break-all">{setting.value}</code>
  );

/** Where it was written; of a file only its name and line, the rest of the path says nothing. */
const Source = ({ setting: { source, from } }: { readonly setting: SettingState }): VNode =>
  from === undefined ? (
    <span class={source === 'default' ? 'color-fg-muted' : undefined}>{t(`configuration.source.${source}`)}</span>
  ) : (
    <code class="wb-break-all" title={from}>
      {from.split('/').at(-1)}
    </code>
  );

/** Every setting with the value that holds and where it was written (secrets say only whether they are set). */
function Configuration({ settings, text, changedOnly, action }: ConfigurationProps): VNode {
  const sections = [...new Set(settings.map(({ section }) => section))];
  return (
    <Section
      title={
        <>
          {t('configuration.title')} <span class="Counter">{formatNumber(settings.length)}</span>
        </>
      }
    >
      <p class="color-fg-muted">
        {t.rich('configuration.note', {
          file: <code>config/app.ini</code>,
          variable: <code>MORTISE__section__KEY</code>,
        })}
      </p>
      <SearchBox action={action} value={text} label={t('configuration.search')}>
        <label class="d-inline-flex flex-items-center gap-1">
          <input type="checkbox" name="changed" value="1" checked={changedOnly} /> {t('configuration.changedOnly')}
        </label>
      </SearchBox>
      {sections.length === 0 ? <Blankslate title={t('configuration.none')} /> : null}
      {sections.map((section) => (
        <section key={section} class="mb-4">
          <h3 class="f4 mb-2">{section ? <code>[{section}]</code> : t('configuration.top')}</h3>
          <ul class="Box list-style-none">
            {settings
              .filter((one) => one.section === section)
              .map((setting) => (
                <li key={setting.key} class="Box-row d-md-flex gap-3">
                  <div class="setting-name">
                    <strong class="text-mono f6 wb-break-all">{setting.key}</strong>
                    <p class="f6 color-fg-muted mb-0 wb-break-word">{setting.description}</p>
                  </div>
                  <div class="list-main">
                    <Value setting={setting} />
                    <p class="f6 color-fg-muted mb-0">
                      <Source setting={setting} /> · {setting.owner}
                    </p>
                  </div>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </Section>
  );
}

interface Services {
  readonly adminPage: AdminPage;
  readonly settings: SettingList;
  readonly site: Site;
}

/** The settings that hold, for administrators; they are changed in the file or the environment. */
export const configurationRoutes = ({ adminPage, settings, site }: Services): readonly Route[] => [
  pageRoute(
    '/-/admin/configuration',
    { actor: 'admin' },
    ({ actor, query }) => {
      const words = query.q.toLowerCase().split(/\s+/).filter(Boolean);
      const matching = settings.list().filter((one) => {
        const text = `${one.section} ${one.key} ${one.owner} ${one.description}`.toLowerCase();
        return (!query.changed || one.isSet) && words.every((word: string) => text.includes(word));
      });
      return adminPage({
        active: 'configuration',
        title: t.later('configuration.title'),
        actor,
        body: (
          <Configuration
            settings={matching}
            text={query.q}
            changedOnly={Boolean(query.changed)}
            action={site.path('/-/admin/configuration')}
          />
        ),
      });
    },
    {
      query: Joi.object<{ readonly q: string; readonly changed?: string }>({
        q: Joi.string().allow('').max(255).default(''),
        changed: Joi.string().allow(''),
      }),
    },
  ),
];
