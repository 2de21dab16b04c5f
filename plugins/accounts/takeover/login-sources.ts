import {
  isJsonObject,
  skippedRow,
  targetRow,
  type SourceRow,
  type TakeoverContext,
  type TableMapping,
} from '@mortise/plugin-sdk';
import type { LoginSourceKind } from '../contract/login-sources.js';
import { LoginSourceRow } from '../models/login-source.js';
import type { LoginSourceReader } from '../services/login-sources.js';

export const loginSources = 'accounts.login_sources';

type SourceReader = Pick<LoginSourceReader, 'allKinds' | 'sealed'>;

/** The kind that knows a row and its settings, unchecked; undefined: none that is loaded does. */
async function kindOf(row: SourceRow, reader: SourceReader, context: TakeoverContext) {
  const stored = row.json('cfg');
  // versions before 2022 have those of directories in a wrapper
  const config = isJsonObject(stored) && isJsonObject(stored.Source) ? stored.Source : stored;
  const foreign = {
    type: row.number('type'),
    config: isJsonObject(config) ? config : {},
    decrypt: (encrypted: string) => context.decrypt(encrypted),
  };
  for (const kind of reader.allKinds()) {
    const settings = await kind.takenSettings?.(foreign);
    if (settings) return { kind, settings, skipsSecondFactor: foreign.config.SkipLocalTwoFA === true };
  }
  return undefined;
}

const checked = (kind: LoginSourceKind, settings: Readonly<Record<string, unknown>>) =>
  kind.schema.validate(settings, { stripUnknown: true });

/** `login_source.type` there. */
const typeNames: Readonly<Record<number, string>> = {
  2: 'LDAP',
  3: 'SMTP',
  4: 'PAM',
  5: 'LDAP',
  6: 'OAuth 2.0',
  7: 'SSPI',
};

/** Directories and providers of sign-ins. */
export const loginSourceTable = (reader: SourceReader): TableMapping => ({
  id: loginSources,
  table: 'login_source',
  idTable: LoginSourceRow,
  hasSecrets: true,
  async map(row, context) {
    const known = await kindOf(row, reader, context);
    if (!known) {
      const type = typeNames[row.number('type')] ?? `type ${row.number('type')}`;
      return skippedRow(`sources of ${type} have no counterpart`);
    }
    const { value, error } = checked(known.kind, known.settings);
    if (error) return skippedRow(`its settings are not those of such a source here: ${error.message}`);
    return targetRow(LoginSourceRow, {
      id: row.number('id'),
      kind: known.kind.key,
      name: row.text('name', 100),
      is_active: row.flag(row.has('is_active') ? 'is_active' : 'is_actived'),
      is_sync_enabled: row.flag('is_sync_enabled'),
      skips_second_factor: known.skipsSecondFactor || row.text('two_factor_policy') === 'skip',
      settings: reader.sealed(known.kind.key, value as Readonly<Record<string, unknown>>),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix'),
    });
  },
});
