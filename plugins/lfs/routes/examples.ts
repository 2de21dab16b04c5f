/** Bodies of the protocol, for the API documents. */
import type { RouteExamples } from '@mortise/plugin-sdk';
import { lfsType as type } from './lfs-handler.js';

const pointer = { oid: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', size: 5 };
const lock = { id: '7', path: 'art/hero.psd', locked_at: '2026-01-31T12:00:00Z', owner: { name: 'ada' } };

export const batchExample: RouteExamples = {
  type,
  request: { operation: 'download', transfers: ['basic'], objects: [pointer] },
  responses: {
    200: {
      transfer: 'basic',
      objects: [
        {
          ...pointer,
          actions: { download: { href: `https://code.example/ada/art.git/info/lfs/objects/${pointer.oid}` } },
        },
      ],
    },
  },
};

export const verifyExample: RouteExamples = { type, request: pointer, responses: { 200: {} } };

export const listLocksExample: RouteExamples = { type, responses: { 200: { locks: [lock], next_cursor: '8' } } };

export const createLockExample: RouteExamples = {
  type,
  request: { path: lock.path },
  responses: { 201: { lock }, 409: { lock, message: 'the file is locked already' } },
};

export const verifyLocksExample: RouteExamples = {
  type,
  request: { limit: 100 },
  responses: { 200: { ours: [lock], theirs: [] } },
};

export const unlockExample: RouteExamples = { type, request: { force: false }, responses: { 200: { lock } } };
