import type { VNode } from 'preact';
import { CheckField, PostButton, type CheckFieldProps, type FieldOption } from '@mortise/plugin-sdk';

/** Yes or no as the forms of this plugin send it. */
export const Check = (props: Omit<CheckFieldProps, 'value'>): VNode => <CheckField {...props} value="on" />;

export { RepositoryNameField as NameField } from '../contract/parts.js';

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

/** Takes an entry off the list of its page. */
export const RemoveButton = (props: {
  action: string;
  csrf: string;
  remove: string | number;
  name: string;
  confirm?: string;
}): VNode => (
  <PostButton
    action={props.action}
    csrf={props.csrf}
    fields={{ remove: props.remove }}
    label={`Remove ${props.name}`}
    confirm={props.confirm}
    danger
  >
    Remove
  </PostButton>
);
