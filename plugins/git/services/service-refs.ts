import { defineService, type ServiceRef } from '@mortise/plugin-sdk';
import type { RefGate } from './ref-gate.js';
import type { Integrity } from './integrity.js';
import type { GitCore } from './open-git.js';
import type { Remotes } from './remotes.js';

/** Shared inside this plugin only. */
export const gitCore: ServiceRef<GitCore> = defineService<GitCore>('git.core');
export const refGate: ServiceRef<RefGate> = defineService<RefGate>('git.refGate');
export const remotesService: ServiceRef<Remotes> = defineService<Remotes>('git.remotesService');
export const gitIntegrity: ServiceRef<Integrity> = defineService<Integrity>('git.integrity');
