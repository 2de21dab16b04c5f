import type { VNode } from 'preact';
import { formText, Invalid, Joi, TextField, type FormValues } from '@mortise/plugin-sdk';
import { isWebAddress, type RepositoryUnit } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

type Options = Readonly<Record<string, unknown>>;
interface ExternalWiki {
  readonly external_wiki_url?: string;
}

const outside = (config: Options) => config.external_wiki as ExternalWiki | undefined;

function check({ external_wiki_url: url = '' }: ExternalWiki): ExternalWiki {
  if (!isWebAddress(url))
    throw Invalid(t.later('error.unitUrl'), { inputs: { external_wiki_url: t.later('error.unitUrl') } });
  return { external_wiki_url: url };
}

/** The wiki here, or the address of one elsewhere. */
export const wikiUnit: RepositoryUnit = {
  key: 'wiki',
  label: t.later('tab'),
  order: 50,
  field: 'has_wiki',
  isHidden: true,
  body: {
    external_wiki: Joi.object({ external_wiki_url: Joi.string().max(1024).required().allow('') })
      .label('EditExternalWiki')
      .allow(null),
  },
  change({ has_wiki: switched, external_wiki: given }, config) {
    if (switched === true && given) return { external_wiki: check(given as ExternalWiki) };
    return switched !== undefined && outside(config) ? { external_wiki: undefined } : undefined;
  },
  isElsewhere: (config) => Boolean(outside(config)),
  record: ({ enabled, config }) => (enabled && outside(config) ? { external_wiki: outside(config) } : {}),
  form: {
    fields: (config, sent) => (
      <Fields url={sent ? formText(sent, 'external_wiki_url') : (outside(config)?.external_wiki_url ?? '')} />
    ),
    body(values: FormValues) {
      const url = formText(values, 'external_wiki_url', 1024);
      return { has_wiki: true, ...(url && { external_wiki: { external_wiki_url: url } }) };
    },
  },
};

function Fields({ url }: { url: string }): VNode {
  return (
    <details class="ml-4" open={Boolean(url)}>
      <summary class="color-fg-muted">{t('unit.external')}</summary>
      <TextField name="external_wiki_url" label={t('unit.url')} type="url" value={url} note={t('unit.urlNote')} />
    </details>
  );
}
