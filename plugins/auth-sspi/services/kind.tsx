import { defineLoginSourceKind, type LoginSourceKind } from '@mortise/accounts/api';
import { fieldNames, SourceFields } from '../pages/fields.js';
import { t } from '../texts/index.js';
import { kindKey } from './principal-accounts.js';
import { sourceSchema, type SourceSettings } from './source-settings.js';

interface KindDeps {
  /** Throws what keeps tickets from being checked here. */
  readonly tryService: () => Promise<void>;
  /** The same in words for the form; undefined: nothing that is known without trying. */
  readonly unmetRequirement: () => string | undefined;
  /** Tags and names, to choose from. */
  readonly languages: () => readonly { readonly tag: string; readonly name: string }[];
}

/** Kind `sspi`: people with a ticket of Kerberos. */
export const sspiKind = ({ tryService, unmetRequirement, languages }: KindDeps): LoginSourceKind =>
  defineLoginSourceKind<SourceSettings>({
    key: kindKey,
    label: t.later('kind.sspi'),
    schema: sourceSchema,
    names: fieldNames,
    tryConnection: tryService,
    fields: ({ settings }) => (
      <SourceFields settings={settings} unmetRequirement={unmetRequirement()} languages={languages()} />
    ),
  });
