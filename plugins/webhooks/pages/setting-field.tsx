import { CheckField, SelectField, textOf, TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { HookSetting } from '../contract/webhooks.js';

interface SettingFieldProps {
  readonly setting: HookSetting;
  readonly value: string | undefined;
  readonly isNew: boolean;
}

/** A field of the kind itself, as its type wants to be asked for. */
export function SettingField({ setting, value, isNew }: SettingFieldProps): VNode {
  const { type = 'text', options = [], required } = setting;
  const common = {
    name: `setting_${setting.name}`,
    label: textOf(setting.label),
    note: setting.help && textOf(setting.help),
  };
  const placeholder = setting.placeholder && textOf(setting.placeholder);
  switch (type) {
    case 'checkbox':
      return <CheckField {...common} checked={value === 'true'} />;
    case 'select':
      return <SelectField {...common} value={value} options={options.map((one) => [one.value, textOf(one.label)])} />;
    case 'password':
      return (
        <TextField
          {...common}
          type="password"
          autocomplete="new-password"
          placeholder={isNew ? placeholder : '••••••••'}
          required={required && isNew}
        />
      );
    case 'number':
      return <TextField {...common} type="number" short value={value} required={required} placeholder={placeholder} />;
    default:
      return <TextField {...common} value={value} required={required} placeholder={placeholder} />;
  }
}
