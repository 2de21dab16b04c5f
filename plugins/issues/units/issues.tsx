import type { VNode } from 'preact';
import {
  CheckField,
  formText,
  Invalid,
  isChecked,
  Joi,
  SelectField,
  TextField,
  textOf,
  type FieldOption,
  type FormValues,
  type PointReader,
  type Text,
} from '@mortise/plugin-sdk';
import { isWebAddress, type RepositoryUnit } from '@mortise/repositories/api';
import type { IssueOption } from '../contract/points.js';
import { labelTemplates } from '../templates/labels.js';
import { t } from '../texts/index.js';

/** Numbers of issues in texts lead there. */
export interface ExternalTracker {
  readonly external_tracker_url: string;
  readonly external_tracker_format: string;
  readonly external_tracker_style: string;
  readonly external_tracker_regexp_pattern: string;
}

type Options = Readonly<Record<string, unknown>>;

/** Options that nobody chose. */
const otherwise = {
  enable_time_tracker: true,
  allow_only_contributors_to_track_time: true,
  enable_issue_dependencies: true,
};
const styles = ['numeric', 'alphanumeric', 'regexp'] as const;
const refused = (input: string, text: Text) => Invalid(text, { inputs: { [input]: text } });
const words = (length: number) => Joi.string().max(length).allow('', null);

const trackerOf = (config: Options) => config.external_tracker as ExternalTracker | undefined;

/** An issue tracker elsewhere: its address, and how the address of one issue is made. */
function checkTracker(given: Partial<ExternalTracker>): ExternalTracker {
  if (!isWebAddress(given.external_tracker_url)) throw refused('external_tracker_url', t.later('error.trackerUrl'));
  const format = given.external_tracker_format ?? '';
  // Placeholders stand for user, repository and number.
  if (format && !isWebAddress(format.replace(/\{(user|repo|index)\}/g, '1')))
    throw refused('external_tracker_format', t.later('error.trackerFormat'));
  const style = given.external_tracker_style || 'numeric';
  if (!(styles as readonly string[]).includes(style))
    throw Invalid(t.later('error.oneOf', { field: 'external_tracker_style', values: styles.join(', ') }));
  return {
    external_tracker_url: given.external_tracker_url!,
    external_tracker_format: format,
    external_tracker_style: style,
    external_tracker_regexp_pattern: given.external_tracker_regexp_pattern ?? '',
  };
}

/** Sent with the options, of which boxes that are not ticked send nothing. */
const marker = 'issue_options';

/** Options that a new repository begins with. */
const beginnings = (options: PointReader<IssueOption>): Options => ({
  ...otherwise,
  ...Object.fromEntries(options.list().map(({ key, isOffAtFirst }) => [key, !isOffAtFirst])),
});

/** Issues, here or in a tracker elsewhere. */
export const makeIssuesUnit = (options: PointReader<IssueOption>): RepositoryUnit => ({
  key: 'issues',
  label: t.later('tab'),
  order: 20,
  field: 'has_issues',
  isHidden: ['pulls'],
  labelSets: [...labelTemplates.keys()],
  get defaults() {
    return beginnings(options);
  },
  body: {
    internal_tracker: Joi.object(Object.fromEntries(Object.keys(otherwise).map((flag) => [flag, Joi.boolean()])))
      .label('EditInternalTracker')
      .allow(null),
    external_tracker: Joi.object({
      external_tracker_url: Joi.string().max(1024).required().allow(''),
      external_tracker_format: words(1024),
      external_tracker_style: words(30),
      external_tracker_regexp_pattern: words(255),
    })
      .label('EditExternalTracker')
      .allow(null),
  },
  /** A tracker elsewhere, or back to the one here: asked for by switching issues on without one elsewhere. */
  change({ has_issues: switched, external_tracker: outside, internal_tracker: inside }, config) {
    if (switched === true && outside) return { external_tracker: checkTracker(outside as Partial<ExternalTracker>) };
    if (inside) return { ...(inside as object), external_tracker: undefined };
    if (switched === true && trackerOf(config)) return { ...beginnings(options), external_tracker: undefined };
    return undefined;
  },
  isElsewhere: (config) => Boolean(trackerOf(config)),
  record({ enabled, config }, { openIssueCount }) {
    const { external_tracker: outside, ...inside } = { ...otherwise, ...config } as Record<string, unknown>;
    for (const { key, isPageOnly } of options.list()) if (isPageOnly) delete inside[key];
    const tracker = outside ? { external_tracker: outside } : { internal_tracker: inside };
    return { ...(enabled ? tracker : {}), open_issues_count: openIssueCount };
  },
  form: {
    fields: (config, sent) => (
      <>
        <OptionFields options={options.list()} config={config} sent={sent} />
        <TrackerFields tracker={trackerOf(config) ?? {}} {...(sent ? { sent } : {})} />
      </>
    ),
    body(values) {
      const url = formText(values, 'external_tracker_url', 1024);
      const chosen = formText(values, marker)
        ? { internal_tracker: Object.fromEntries(options.list().map(({ key }) => [key, isChecked(values, key)])) }
        : {};
      if (!url) return { has_issues: true, ...chosen };
      return {
        has_issues: true,
        external_tracker: {
          external_tracker_url: url,
          external_tracker_format: formText(values, 'external_tracker_format', 1024),
          external_tracker_style: formText(values, 'external_tracker_style'),
          external_tracker_regexp_pattern: formText(values, 'external_tracker_regexp_pattern', 255),
        },
      };
    },
  },
});

interface OptionsProps {
  readonly options: readonly IssueOption[];
  readonly config: Options;
  readonly sent: FormValues | undefined;
}

/** What plugins let a repository choose about its issues. */
function OptionFields({ options, config, sent }: OptionsProps): VNode | null {
  if (options.length === 0) return null;
  const stored: Options = { ...otherwise, ...config };
  const isSent = sent !== undefined && formText(sent, marker) !== '';
  const isOn = (key: string) => (isSent ? isChecked(sent, key) : stored[key] === true);
  return (
    <div class="ml-4">
      <input type="hidden" name={marker} value="1" />
      {options.map(({ key, label }) => (
        <CheckField name={key} value="on" label={textOf(label)} checked={isOn(key)} />
      ))}
    </div>
  );
}

const placeholder = (text: string) => (): VNode => <code>{text}</code>;

function TrackerFields({ tracker, sent }: { tracker: Partial<ExternalTracker>; sent?: FormValues }): VNode {
  const text = (name: keyof ExternalTracker, otherwise = '') =>
    sent ? formText(sent, name) : (tracker[name] ?? otherwise);
  return (
    <details class="ml-4" open={Boolean(text('external_tracker_url'))}>
      <summary class="color-fg-muted">{t('option.trackerOptions')}</summary>
      <TextField
        name="external_tracker_url"
        label={t('option.trackerUrl')}
        type="url"
        value={text('external_tracker_url')}
        note={t('option.trackerNote')}
      />
      <TextField
        name="external_tracker_format"
        label={t('option.trackerFormat')}
        value={text('external_tracker_format')}
        note={t.rich('option.trackerFormatNote', {
          user: placeholder('{user}'),
          repo: placeholder('{repo}'),
          index: placeholder('{index}'),
        })}
      />
      <SelectField
        name="external_tracker_style"
        label={t('option.trackerStyle')}
        value={text('external_tracker_style', 'numeric')}
        options={styles.map((style): FieldOption => [style, t(`option.trackerStyle.${style}`)])}
      />
      <TextField
        name="external_tracker_regexp_pattern"
        label={t('option.trackerPattern')}
        maxLength={255}
        value={text('external_tracker_regexp_pattern')}
        mono
      />
    </details>
  );
}
