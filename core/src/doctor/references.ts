import type { Finding } from '@mortise/plugin-sdk';
import { openSource } from '../backup/open-rows.js';
import type { Composition } from '../compose.js';

/**
 * Rows that name rows which are not there, such as comments of a text that is gone. The database refuses them, unless
 * something wrote past it: a tool with its foreign keys off, or half of a restore.
 */
export async function* checkReferences(composition: Composition): AsyncGenerator<Finding> {
  const rows = await openSource({ composition });
  try {
    for (const text of await rows.brokenReferences()) yield { level: 'error', text };
  } finally {
    await rows.close();
  }
}
