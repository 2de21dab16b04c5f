import type { VNode } from 'preact';
import { Section, type PluginState } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

const State = ({ enabled, problem, waiting }: PluginState): VNode => (
  <>
    {problem ? (
      <span class="Label Label--danger">{t('plugins.failed')}</span>
    ) : enabled ? (
      <span class="Label Label--success">{t('plugins.enabled')}</span>
    ) : (
      <span class="Label">{t('plugins.disabled')}</span>
    )}{' '}
    {waiting ? <span class="Label Label--attention">{t(`plugins.waiting.${waiting}`)}</span> : null}
  </>
);

const Faults = ({ errors }: Pick<PluginState, 'errors'>): VNode | null =>
  errors.length === 0 ? null : (
    <details>
      <summary class="color-fg-danger">{t('plugins.faults', { count: errors.length })}</summary>
      <ul class="ml-3">
        {errors.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    </details>
  );

/** All plugins that are there, with their versions, whether they run, and what went wrong in them. */
export const PluginList = ({ plugins }: { readonly plugins: readonly PluginState[] }): VNode => (
  <Section title={t('plugins.title')}>
    <p class="color-fg-muted">
      {t.rich('plugins.note', { setting: <code>[plugins]</code>, command: <code>mortise plugins</code> })}
    </p>
    <table class="data-table" data-sortable>
      <thead>
        <tr>
          <th scope="col">{t('plugins.name')}</th>
          <th scope="col">{t('plugins.version')}</th>
          <th scope="col">{t('plugins.state')}</th>
          <th scope="col">{t('plugins.description')}</th>
        </tr>
      </thead>
      <tbody>
        {[...plugins]
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .map((plugin) => (
            <tr key={plugin.name}>
              <td class="text-mono">{plugin.name}</td>
              <td class="no-wrap">
                {plugin.version}
                {plugin.onDisk ? ` → ${plugin.onDisk}` : ''}
              </td>
              <td class="no-wrap">
                <State {...plugin} />
              </td>
              <td class="wb-break-word">
                {plugin.problem ?? plugin.description}
                <Faults errors={plugin.errors} />
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  </Section>
);
