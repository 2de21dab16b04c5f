import { Invalid } from './errors.js';
import type { FormValues } from './page-forms.js';
import { t } from './texts/index.js';

/** Of the field that `TypedName` shows. */
export const typedNameField = 'typed_name';

/** Invalid (422) unless the name was typed into `TypedName`; letter case counts. */
export function checkTypedName(values: { readonly typed_name?: FormValues[string] }, name: string): void {
  if (values[typedNameField] !== name) throw Invalid(t.later('typedName.wrong', { name }));
}
