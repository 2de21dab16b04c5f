import type { TableMapping } from '@mortise/plugin-sdk';
import { deliveries } from './deliveries.js';
import { hookTables, type HookTakeoverDeps } from './hooks.js';

export const tables = (deps: HookTakeoverDeps): readonly TableMapping[] => [...hookTables(deps), deliveries];
