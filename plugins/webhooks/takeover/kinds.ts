import type { TakeoverKind } from '@mortise/plugin-sdk';
import { deliveries } from './deliveries.js';
import { hookKinds, type HookTakeoverDeps } from './hooks.js';

export const webhookTakeover = (deps: HookTakeoverDeps): readonly TakeoverKind[] => [...hookKinds(deps), deliveries];
