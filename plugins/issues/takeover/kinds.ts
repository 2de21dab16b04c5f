import type { TakeoverKind } from '@mortise/plugin-sdk';
import { issueKinds } from './issues.js';
import { labelKinds } from './labels.js';

export const kinds: readonly TakeoverKind[] = [...labelKinds, ...issueKinds];
