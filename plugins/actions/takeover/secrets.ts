import { skippedRow, targetRow, type TableMapping } from '@mortise/plugin-sdk';
import { SecretRow } from '../models/secret.js';
import { VariableRow } from '../models/variable.js';
import { cutDescription, nameOf, withUnixLineEnds } from '../services/secrets/secret-names.js';
import type { SecretService } from '../services/secrets/secret-service.js';
import { scopeColumns, scopeReferences } from './scope.js';

const namePattern = /^[A-Z_][A-Z0-9_]{0,254}$/;
const nameReason = 'its name cannot be that of a secret or variable';

export const secrets = (service: Pick<SecretService, 'stored'>): TableMapping => ({
  id: 'actions.secrets',
  table: 'secret',
  idTable: SecretRow,
  hasSecrets: true,
  references: scopeReferences,
  async map(row, context) {
    const name = nameOf(row.text('name'));
    if (!namePattern.test(name)) return skippedRow(nameReason);
    const value = context.decrypt(row.text('data'));
    if (value === undefined) return skippedRow('it cannot be decrypted with the SECRET_KEY');
    return targetRow(SecretRow, {
      id: row.number('id'),
      ...scopeColumns(row),
      name,
      description: cutDescription(row.text('description')),
      // a dry run makes no key
      ...(!context.isDryRun && (await service.stored(value))),
      created_at: row.time('created_unix'),
      updated_at: row.time('created_unix'),
    });
  },
});

export const variables: TableMapping = {
  id: 'actions.variables',
  table: 'action_variable',
  idTable: VariableRow,
  references: scopeReferences,
  map(row) {
    const name = nameOf(row.text('name'));
    if (!namePattern.test(name)) return skippedRow(nameReason);
    return targetRow(VariableRow, {
      id: row.number('id'),
      ...scopeColumns(row),
      name,
      value: withUnixLineEnds(row.text('data')),
      description: cutDescription(row.text('description')),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix') || row.time('created_unix'),
    });
  },
};
