import type { VNode } from 'preact';
import {
  Ago,
  Blankslate,
  CheckField,
  Csrf,
  pageRoute,
  Forbidden,
  formStatus,
  formRoute,
  formText,
  Joi,
  listHref,
  PostButton,
  savedFlash,
  Section,
  SelectField,
  TextField,
  webPage,
  type Access,
  type Flash,
  type FormValues,
  type PointReader,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { PackageFormat } from '../api.js';
import { packageResource, type PackageResource } from '../routes/package-resource.js';
import {
  keepCounts,
  maxPattern,
  removeDays,
  type CleanUpRule,
  type CleanUpRules,
  type Removable,
} from '../services/clean-up.js';
import { t } from '../texts/index.js';
import { addressOf, listed, rulesHref } from './packages.js';

const path = '/{owner}/-/package-rules';

interface PageProps {
  readonly owner: Account;
  readonly rules: readonly CleanUpRule[];
  readonly formats: readonly PackageFormat[];
  /** In the form: one that is there, a new one, or what was refused. */
  readonly shown: CleanUpRule | undefined;
  readonly preview: { readonly found: readonly Removable[]; readonly isWhole: boolean } | undefined;
  readonly here: string;
  readonly site: Site;
}

const labelOf = (formats: readonly PackageFormat[], type: string) =>
  formats.find(({ key }) => key === type)?.label ?? type;

const RuleList = ({ rules, formats, here }: PageProps): VNode =>
  rules.length === 0 ? (
    <Blankslate title={t('rules.none')} icon="trash" />
  ) : (
    <ul class="Box list-style-none">
      {rules.map(({ type, isEnabled }) => {
        const label = labelOf(formats, type);
        return (
          <li key={type} class="Box-row d-flex flex-items-center">
            <a class="text-bold flex-auto" href={listHref(here, { type })}>
              {label}
            </a>
            <span class="Label mr-3">{isEnabled ? t('rules.on') : t('rules.off')}</span>
            <PostButton
              action={here}
              fields={{ action: 'delete', type }}
              label={t('rules.deleteOf', { format: label })}
              confirm={t('rules.deleteConfirm', { format: label })}
              danger
            >
              {t('rules.delete')}
            </PostButton>
          </li>
        );
      })}
    </ul>
  );

function RuleForm({ rules, formats, shown, here }: PageProps): VNode | null {
  const isThere = rules.some(({ type }) => type === shown?.type);
  const free = formats.filter(({ key }) => !rules.some(({ type }) => type === key));
  if (!isThere && free.length === 0) return null;
  return (
    <Section title={isThere ? t('rules.edit', { format: labelOf(formats, shown!.type) }) : t('rules.new')}>
      <form method="post" action={here}>
        <Csrf />
        <input type="hidden" name="action" value="save" />
        {isThere ? (
          <input type="hidden" name="type" value={shown!.type} />
        ) : (
          <SelectField
            name="type"
            label={t('list.format')}
            value={shown?.type}
            options={free.map(({ key, label }) => [key, label])}
          />
        )}
        <CheckField
          name="is_enabled"
          label={t('rules.enabled')}
          note={t('rules.enabledNote')}
          checked={shown?.isEnabled}
        />
        <SelectField
          name="keep_count"
          label={t('rules.keepCount')}
          value={String(shown?.keepCount ?? 5)}
          options={keepCounts.map((count) => [
            String(count),
            count ? t('rules.versions', { count }) : t('rules.noVersion'),
          ])}
        />
        <TextField
          name="keep_pattern"
          label={t('rules.keepPattern')}
          note={t('rules.patternNote')}
          maxLength={maxPattern}
          value={shown?.keepPattern}
        />
        <SelectField
          name="remove_days"
          label={t('rules.removeDays')}
          value={String(shown?.removeDays ?? 30)}
          options={removeDays.map((count) => [String(count), count ? t('rules.days', { count }) : t('rules.anyAge')])}
        />
        <TextField
          name="remove_pattern"
          label={t('rules.removePattern')}
          note={t('rules.removePatternNote')}
          maxLength={maxPattern}
          value={shown?.removePattern}
        />
        <CheckField name="match_full_name" label={t('rules.fullName')} checked={shown?.matchFullName} />
        <button class="btn btn-primary mt-2" type="submit">
          {t('rules.save')}
        </button>
      </form>
    </Section>
  );
}

const Preview = ({ owner, preview, site }: PageProps): VNode | null =>
  preview ? (
    <Section title={t('rules.preview')}>
      <p>{t('rules.previewNote')}</p>
      {preview.found.length === 0 ? <p class="text-bold">{t('rules.previewNone')}</p> : null}
      {preview.found.length > 0 ? (
        <ul class="Box list-style-none">
          {preview.found.flatMap(({ package: package_, versions }) =>
            versions.map((version) => (
              <li key={version.id} class="Box-row d-flex">
                <a class="flex-auto wb-break-word" href={addressOf(site, owner, package_, version)}>
                  {package_.name} <span class="text-mono">{version.version}</span>
                </a>
                <span class="color-fg-muted text-small no-wrap">
                  <Ago time={version.createdAt} />
                </span>
              </li>
            )),
          )}
        </ul>
      ) : null}
      {preview.isWhole ? null : <p>{t('rules.previewMore')}</p>}
    </Section>
  ) : null;

const RulesPage = (props: PageProps): VNode => {
  const { owner, site } = props;
  return (
    <div>
      <p>
        <a href={site.path(`/${owner.name}/-/packages`)}>{t('list.of', { name: owner.name })}</a>
      </p>
      <Section level={1} title={t('rules.title')}>
        <p>{t('rules.note')}</p>
        <RuleList {...props} />
      </Section>
      <RuleForm {...props} />
      <Preview {...props} />
    </div>
  );
};

const isTicked = (values: FormValues, name: string) => formText(values, name) === 'true';
/** A number that may be chosen is digits alone; anything else is refused with the field. */
const numberIn = (values: FormValues, name: string) => {
  const text = formText(values, name, 10);
  return /^\d+$/.test(text) ? Number(text) : -1;
};
const ruleIn = ({ id: ownerId }: Account, values: FormValues): CleanUpRule => ({
  ownerId,
  type: formText(values, 'type', 32),
  isEnabled: isTicked(values, 'is_enabled'),
  keepCount: numberIn(values, 'keep_count'),
  keepPattern: formText(values, 'keep_pattern'),
  removeDays: numberIn(values, 'remove_days'),
  removePattern: formText(values, 'remove_pattern'),
  matchFullName: isTicked(values, 'match_full_name'),
});

interface Query {
  readonly type: string;
  readonly saved?: string;
  readonly deleted?: string;
}

/** Clean-up rules of an owner, with what each would remove now (reference: 1.8). */
export function cleanUpPages({
  rules,
  formats,
  site,
}: {
  readonly rules: CleanUpRules;
  readonly formats: PointReader<PackageFormat>;
  readonly site: Site;
}): Route[] {
  const access: Access<PackageResource> = { actor: 'user', resource: packageResource, mode: 'write' };
  const ownerOf = ({ resource }: Pick<RouteContext<PackageResource>, 'resource'>): Account => {
    if (resource.mode !== 'owner') throw Forbidden(t.later('error.notOwner'));
    return resource.owner;
  };
  const page = async (
    context: Pick<RouteContext<PackageResource>, 'resource'>,
    type: string,
    refused?: CleanUpRule,
    flash?: Flash,
  ) => {
    const owner = ownerOf(context);
    const all = await rules.of(owner.id);
    const saved = all.find((rule) => rule.type === type);
    return webPage({
      title: t.later('rules.title'),
      flash,
      status: formStatus(flash),
      body: (
        <RulesPage
          owner={owner}
          rules={all}
          formats={listed(formats)}
          shown={refused ?? saved}
          preview={saved && !refused ? await rules.preview(saved) : undefined}
          here={rulesHref(site, owner)}
          site={site}
        />
      ),
    });
  };

  return [
    pageRoute(path, access, (context) => page(context, context.query.type, undefined, savedFlash(context.query)), {
      params: Joi.object<{ readonly owner: string }>({ owner: Joi.string().required() }),
      query: Joi.object<Query>({
        type: Joi.string().allow('').max(32).default(''),
        saved: Joi.string().allow(''),
        deleted: Joi.string().allow(''),
      }),
    }),
    formRoute(
      path,
      access,
      async (context, values) => {
        const owner = ownerOf(context);
        const here = rulesHref(site, owner);
        const rule = ruleIn(owner, values);
        if (formText(values, 'action') === 'delete') {
          await rules.remove(owner.id, rule.type);
          return listHref(here, { deleted: labelOf(formats.list(), rule.type) });
        }
        await rules.save(rule);
        return listHref(here, { type: rule.type, saved: 1 });
      },
      (context, values, flash) => page(context, '', ruleIn(context.resource.owner, values), flash),
    ),
  ];
}
