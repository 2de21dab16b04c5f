import type { VNode } from 'preact';
import { CheckField, Invalid, Joi, SelectField, formText, isChecked, type FormValues } from '@mortise/plugin-sdk';
import type { RepositoryUnit } from '@mortise/repositories/api';
import { mergeStyles } from '../api.js';
import type { PullSettings } from '../settings.js';
import { t } from '../texts/index.js';

const flags = {
  ignore_whitespace_conflicts: false,
  allow_merge_commits: true,
  allow_rebase: true,
  allow_rebase_explicit: true,
  allow_squash_merge: true,
  allow_fast_forward_only_merge: true,
  allow_merge_update: true,
  allow_rebase_update: true,
  allow_manual_merge: false,
  autodetect_manual_merge: false,
  default_delete_branch_after_merge: false,
  default_allow_maintainer_edit: true,
} as const;

/** What new repositories begin with. */
const defaultsOf = (settings: PullSettings) => ({
  ...flags,
  default_delete_branch_after_merge: settings.DEFAULT_DELETE_BRANCH_AFTER_MERGE,
  default_merge_style: settings.DEFAULT_MERGE_STYLE,
  default_update_style: 'merge',
});

/** Pull requests of a repository, with the ways in which they are merged and updated. */
export function pullsUnit(settings: PullSettings): RepositoryUnit {
  const defaults = defaultsOf(settings);
  return {
    key: 'pulls',
    label: t.later('unit.pulls'),
    order: 30,
    field: 'has_pull_requests',
    isHidden: true,
    defaults,
    body: {
      ...Object.fromEntries(Object.keys(flags).map((flag) => [flag, Joi.boolean()])),
      default_merge_style: Joi.string().allow(''),
      default_update_style: Joi.string().allow(''),
    },
    /** One way of updating a pull request's branch must stay, and the default must be one of those. */
    check(config) {
      if (!config.allow_merge_update && !config.allow_rebase_update) throw Invalid(t.later('error.updateStyles'));
      const style = config.default_update_style;
      if (!['merge', 'rebase'].includes(String(style)) || !config[`allow_${String(style)}_update`])
        throw Invalid(t.later('error.updateDefault'), {
          inputs: { default_update_style: t.later('error.updateDefault') },
        });
    },
    record({ enabled, config }, { openPullCount }) {
      const options = Object.entries({ ...defaults, ...config });
      // They read as off while the unit is.
      const shown = enabled
        ? options
        : options.map(([key, value]) => [key, typeof value === 'boolean' ? false : 'merge'] as const);
      return { ...Object.fromEntries(shown), open_pr_counter: openPullCount };
    },
    form: {
      fields: (config, sent) => <Fields config={{ ...defaults, ...config }} {...(sent && { sent })} />,
      body: (values) => ({
        has_pull_requests: true,
        ...(formText(values, marker) && optionsOf(values)),
      }),
    },
  };
}

/** Sent with the options, of which boxes that are not ticked send nothing. */
const marker = 'pull_options';
const optionsOf = (values: FormValues) => ({
  ...Object.fromEntries(Object.keys(flags).map((flag) => [flag, isChecked(values, flag)])),
  default_merge_style: formText(values, 'default_merge_style', 40),
  default_update_style: formText(values, 'default_update_style', 40),
});

type Flag = keyof typeof flags;
const merging: readonly Flag[] = [
  'allow_merge_commits',
  'allow_rebase',
  'allow_rebase_explicit',
  'allow_squash_merge',
  'allow_fast_forward_only_merge',
  'allow_manual_merge',
  'autodetect_manual_merge',
];
const updating: readonly Flag[] = ['allow_merge_update', 'allow_rebase_update'];
const others: readonly Flag[] = [
  'default_delete_branch_after_merge',
  'default_allow_maintainer_edit',
  'ignore_whitespace_conflicts',
];

interface FieldsProps {
  readonly config: Readonly<Record<string, unknown>>;
  readonly sent?: FormValues;
}

/** Ways of merging and updating, below the switch of the unit. */
function Fields({ config: stored, sent }: FieldsProps): VNode {
  const isSent = sent !== undefined && formText(sent, marker) !== '';
  const isOn = (flag: Flag) => (isSent ? isChecked(sent, flag) : stored[flag] === true);
  const style = (name: string) => (isSent ? formText(sent, name, 40) : String(stored[name]));
  const checks = (list: readonly Flag[]) =>
    list.map((flag) => <CheckField name={flag} value="on" label={t(`option.${flag}`)} checked={isOn(flag)} />);
  return (
    <details class="ml-4" open={isSent}>
      <summary class="color-fg-muted">{t('option.title')}</summary>
      <input type="hidden" name={marker} value="1" />
      <fieldset class="mt-2">
        <legend class="text-bold">{t('option.merging')}</legend>
        {checks(merging)}
      </fieldset>
      <SelectField
        name="default_merge_style"
        label={t('option.mergeStyle')}
        value={style('default_merge_style')}
        options={mergeStyles.map((one) => [one, t(`way.${one}`)])}
      />
      <fieldset>
        <legend class="text-bold">{t('option.updating')}</legend>
        {checks(updating)}
      </fieldset>
      <SelectField
        name="default_update_style"
        label={t('option.updateStyle')}
        value={style('default_update_style')}
        options={(['merge', 'rebase'] as const).map((one) => [one, t(`box.update.${one}`)])}
      />
      {checks(others)}
    </details>
  );
}
