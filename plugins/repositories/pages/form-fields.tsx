import type { VNode } from 'preact';
import {
  CheckField,
  FieldError,
  PostButton,
  fieldError,
  textOf,
  type CheckFieldProps,
  type FieldOption,
} from '@mortise/plugin-sdk';
import type { RepositoryUnit } from '../api.js';
import { t } from '../texts/index.js';

/** Yes or no as the forms of this plugin send it. */
export const Check = (props: Omit<CheckFieldProps, 'value'>): VNode => <CheckField {...props} value="on" />;

export { RepositoryNameField as NameField } from '../contract/form-fields.js';

/** One of many within a line, named for those who cannot see what stands around it. */
export const Select = (props: {
  name: string;
  choices: readonly FieldOption[];
  value?: string;
  label: string;
}): VNode => (
  <select class="form-select" name={props.name} aria-label={props.label}>
    {props.choices.map(([value, label]) => (
      <option key={value} value={value} selected={value === props.value}>
        {label}
      </option>
    ))}
  </select>
);

/** A field within a line, with its label read out only and what is wrong with it below. */
export function LineField(props: {
  name: string;
  label: string;
  /** Where several forms of the page have a field of this name; refusals call it so. */
  id?: string;
  placeholder?: string;
  value?: string;
  /** It is a username. */
  isUser?: boolean;
  /** Id of a `datalist`. */
  list?: string;
}): VNode {
  const { label, ...of } = props;
  const id = of.id ?? `field-${of.name}`;
  const isWrong = fieldError(of.id ?? of.name) !== undefined;
  return (
    <span>
      <input
        class="form-control"
        id={id}
        name={of.name}
        value={of.value}
        aria-label={label}
        placeholder={of.placeholder ?? label}
        autocomplete="off"
        data-suggest={of.isUser ? 'user' : undefined}
        list={of.list}
        required
        aria-invalid={isWrong ? 'true' : undefined}
        aria-describedby={isWrong ? `${id}-error` : undefined}
      />
      <FieldError of={of} />
    </span>
  );
}

/** Takes an entry off the list of its page. */
export const RemoveButton = (props: {
  action: string;
  remove: string | number;
  name: string;
  confirm?: string;
}): VNode => (
  <PostButton
    action={props.action}
    fields={{ remove: props.remove }}
    label={t('repo.removeOf', { name: props.name })}
    confirm={props.confirm}
    danger
  >
    {t('repo.remove')}
  </PostButton>
);

/** The switch of a unit. */
export const UnitCheck = ({ unit, isOn }: { unit: RepositoryUnit; isOn: boolean }) => (
  <Check name={unit.field} label={textOf(unit.label)} checked={isOn} />
);
