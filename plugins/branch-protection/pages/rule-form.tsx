import type { VNode } from 'preact';
import { CheckField, Csrf, NumberField, RadioFields, Section, TextField, textOf } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import { code, examples, FormSection } from './form-section.js';
import { MoreRules } from './more-rules.js';
import { on, listed, RuleAllowList, text, wayOf, writers, type RuleFormProps } from './rule-controls.js';
import { RuleWords } from './rule-words.js';

const PatternField = ({ fields }: Pick<RuleFormProps, 'fields'>): VNode => (
  <TextField
    name="rule_name"
    label={t('rule.pattern')}
    value={text(fields.rule_name)}
    required
    placeholder={examples.branch}
    note={t.rich('rule.patternNote', {
      star: code('*'),
      question: code('?'),
      stars: code('**'),
      set: code('[ab]'),
      words: code('{a,b}'),
      example: code('release/*'),
      match: code('release/1'),
      noMatch: code('release/1/fix'),
    })}
  />
);

/** The checks that were seen of late to tick, and a field for others. */
function CheckFields({ fields, contexts }: Pick<RuleFormProps, 'fields' | 'contexts'>): VNode {
  const required = Array.isArray(fields.status_check_contexts) ? fields.status_check_contexts.map(String) : [];
  return (
    <CheckField name="enable_status_check" label={t('rule.requireChecks')} checked={on(fields.enable_status_check)}>
      {contexts.length > 0 ? (
        <fieldset class="border-0 p-0 m-0 mb-3">
          <legend class="text-bold">{t('rule.contextsRecent')}</legend>
          <div class="check-grid">
            {contexts.map((context, index) => (
              <CheckField
                key={context}
                id={`field-recent_contexts-${index}`}
                name="recent_contexts"
                value={context}
                label={context}
                checked={required.includes(context)}
              />
            ))}
          </div>
        </fieldset>
      ) : null}
      <TextField
        name="status_check_contexts"
        label={t(contexts.length > 0 ? 'rule.contextsOther' : 'rule.contexts')}
        lines={3}
        value={required.filter((context) => !contexts.includes(context)).join('\n')}
        placeholder={examples.contexts}
        note={t('rule.contextsNote')}
      />
    </CheckField>
  );
}

/** What most rules are about. */
const Basics = (props: RuleFormProps): VNode => (
  <FormSection title={t('rule.basics')}>
    <PatternField fields={props.fields} />
    <RadioFields
      name="push"
      label={t('rule.push')}
      value={wayOf(on(props.fields.enable_push), on(props.fields.enable_push_whitelist))}
      options={[['none', t('rule.nobody'), t('rule.pushNobodyNote')], writers(), listed()]}
      below={{
        listed: <RuleAllowList what="push" users="push_whitelist_usernames" teams="push_whitelist_teams" of={props} />,
      }}
    />
    <div class="mt-3">
      <NumberField
        name="required_approvals"
        label={t('rule.approvals')}
        value={Number(props.fields.required_approvals) || 0}
        min={0}
        max={1000}
        note={t('rule.approvalsNote')}
      />
    </div>
    <CheckFields fields={props.fields} contexts={props.contexts} />
  </FormSection>
);

export const RuleForm = (props: RuleFormProps): VNode => (
  <Section title={textOf(props.title)}>
    <form method="post" action={props.action}>
      <Csrf />
      <Basics {...props} />
      <MoreRules {...props} />
      <button class="btn btn-primary mb-3" type="submit">
        {t('rule.save')}
      </button>
    </form>
    {props.isStored ? <RuleWords fields={props.fields} options={props.options} /> : null}
  </Section>
);
