import { defineService, type ServiceRef } from '@mortise/plugin-sdk';
import type { GitCore } from './open.js';

/** Shared inside this plugin only. */
export const gitCore: ServiceRef<GitCore> = defineService<GitCore>('git.core');
