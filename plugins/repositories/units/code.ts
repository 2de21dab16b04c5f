import type { RepositoryUnit } from '../api.js';
import { t } from '../texts/index.js';

export const codeUnit: RepositoryUnit = { key: 'code', label: t.later('unit.code'), order: 10, field: 'has_code' };
