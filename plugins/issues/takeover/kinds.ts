import type { TakeoverKind } from '@mortise/plugin-sdk';
import { commentKinds } from './comments.js';
import { relationKinds } from './relations.js';
import { issueKinds } from './issues.js';
import { labelKinds } from './labels.js';

export const issueTakeover = (deps: Parameters<typeof commentKinds>[0]): readonly TakeoverKind[] => [
  ...labelKinds,
  ...issueKinds,
  ...commentKinds(deps),
  ...relationKinds,
];
