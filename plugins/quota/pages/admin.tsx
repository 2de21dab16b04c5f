import type { VNode } from 'preact';
import {
  Blankslate,
  CheckField,
  Csrf,
  formatList,
  formatSize,
  PostButton,
  Section,
  SelectField,
  TextField,
} from '@mortise/plugin-sdk';
import { maxName, type Group, type Rule } from '../services/groups.js';
import { shownSubjects, subjectLabel } from './subject-label.js';
import { t } from '../texts/index.js';

/** A group with some of its members. */
interface GroupWithMembers extends Group {
  /** Names, the first of them. */
  readonly users: readonly string[];
  readonly userCount: number;
}

/** What stands in the form of a new rule. */
export interface SentRule {
  readonly name: string;
  readonly limit: string;
  readonly subjects: readonly string[];
}

interface AdminProps {
  readonly rules: readonly Rule[];
  readonly groups: readonly GroupWithMembers[];
  readonly sent: SentRule;
  /** Address of the page. */
  readonly base: string;
}

const limitText = ({ limit }: Rule): string => (limit < 0 ? t('rule.unlimited') : formatSize(limit));

const RuleItem = ({ rule, base }: { readonly rule: Rule; readonly base: string }): VNode => (
  <li class="Box-row d-flex flex-wrap gap-2">
    <div class="list-main">
      <strong class="wb-break-word">{rule.name}</strong>: {limitText(rule)}
      <div class="color-fg-muted f6">{formatList(rule.subjects.map(subjectLabel))}</div>
    </div>
    <PostButton
      action={`${base}/rules/delete`}
      fields={{ rule: rule.name }}
      label={t('rule.deleteOf', { name: rule.name })}
      confirm={t('rule.deleteConfirm', { name: rule.name })}
      danger
    >
      {t('delete')}
    </PostButton>
  </li>
);

const Rules = ({ rules, sent, base }: AdminProps): VNode => (
  <>
    <Section title={t('rule.title')}>
      {rules.length === 0 ? (
        <Blankslate level={3} title={t('rule.none')} icon="law" />
      ) : (
        <ul class="Box list-style-none">
          {rules.map((rule) => (
            <RuleItem key={rule.name} rule={rule} base={base} />
          ))}
        </ul>
      )}
    </Section>
    <Section title={t('rule.new')}>
      <form method="post" action={`${base}/rules`}>
        <Csrf />
        <TextField name="name" label={t('name')} required maxLength={maxName} value={sent.name} />
        <TextField
          name="limit"
          label={t('rule.limit')}
          note={t('rule.limitNote')}
          required
          short
          maxLength={30}
          value={sent.limit}
        />
        <fieldset class="border-0 p-0 m-0">
          <legend class="text-bold">{t('rule.subjects')}</legend>
          {shownSubjects.map((subject) => (
            <CheckField
              key={subject}
              name={`subject.${subject}`}
              label={subjectLabel(subject)}
              checked={sent.subjects.includes(subject)}
            />
          ))}
        </fieldset>
        <button class="btn btn-primary mt-2" type="submit">
          {t('rule.add')}
        </button>
      </form>
    </Section>
  </>
);

interface ChipProps {
  readonly name: string;
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A rule or an account of a group, with a button that takes it out. */
const Member = ({ name, action, fields }: ChipProps): VNode => (
  <li class="d-flex flex-items-center gap-2 mb-1">
    <span class="wb-break-word">{name}</span>
    <PostButton action={action} fields={fields} label={t('group.removeOf', { name })}>
      {t('group.remove')}
    </PostButton>
  </li>
);

interface GroupItemProps {
  readonly group: GroupWithMembers;
  readonly rules: readonly Rule[];
  readonly base: string;
}

const GroupItem = ({ group, rules, base }: GroupItemProps): VNode => {
  const { name } = group;
  const others = rules.filter((rule) => !group.rules.some((own) => own.name === rule.name));
  return (
    <li class="Box-row">
      <div class="d-flex flex-wrap flex-justify-between gap-2">
        <h3 class="f5 wb-break-word">{name}</h3>
        <PostButton
          action={`${base}/groups/delete`}
          fields={{ group: name }}
          label={t('group.deleteOf', { name })}
          confirm={t('group.deleteConfirm', { name })}
          danger
        >
          {t('delete')}
        </PostButton>
      </div>
      <h4 class="f6 mt-3 mb-1">{t('group.rules')}</h4>
      <ul class="list-style-none">
        {group.rules.map((rule) => (
          <Member
            key={rule.name}
            name={rule.name}
            action={`${base}/groups/remove-rule`}
            fields={{ group: name, rule: rule.name }}
          />
        ))}
      </ul>
      {others.length > 0 ? (
        <form method="post" action={`${base}/groups/add-rule`} class="d-flex flex-wrap flex-items-end gap-2">
          <Csrf />
          <input type="hidden" name="group" value={name} />
          <SelectField
            name="rule"
            id={`rule-of-${name}`}
            label={t('group.rule')}
            options={others.map((rule) => [rule.name, rule.name] as const)}
          />
          <button class="btn btn-sm mb-3" type="submit" aria-label={t('group.addRuleTo', { name })}>
            {t('group.add')}
          </button>
        </form>
      ) : null}
      <h4 class="f6 mt-3 mb-1">{t('group.users', { count: group.userCount })}</h4>
      <ul class="list-style-none">
        {group.users.map((user) => (
          <Member key={user} name={user} action={`${base}/groups/remove-user`} fields={{ group: name, user }} />
        ))}
      </ul>
      <form method="post" action={`${base}/groups/add-user`} class="d-flex flex-wrap flex-items-end gap-2">
        <Csrf />
        <input type="hidden" name="group" value={name} />
        <TextField
          name="user"
          id={`user-of-${name}`}
          label={t('group.user')}
          required
          short
          maxLength={40}
          autocapitalize="none"
        />
        <button class="btn btn-sm mb-3" type="submit" aria-label={t('group.addUserTo', { name })}>
          {t('group.add')}
        </button>
      </form>
    </li>
  );
};

/** Rules and groups, for administrators. */
export const QuotaAdministration = (props: AdminProps): VNode => {
  const { rules, groups, base } = props;
  return (
    <>
      <Section title={t('group.title')}>
        <p class="color-fg-muted">{t('admin.note')}</p>
        {groups.length === 0 ? (
          <Blankslate level={3} title={t('group.none')} icon="people" />
        ) : (
          <ul class="Box list-style-none">
            {groups.map((group) => (
              <GroupItem key={group.name} group={group} rules={rules} base={base} />
            ))}
          </ul>
        )}
        <form method="post" action={`${base}/groups`} class="mt-3">
          <Csrf />
          <TextField name="group" label={t('group.new')} required short maxLength={maxName} />
          <button class="btn" type="submit">
            {t('group.create')}
          </button>
        </form>
      </Section>
      <Rules {...props} />
    </>
  );
};
