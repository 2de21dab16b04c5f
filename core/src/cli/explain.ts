import { Problem } from '@mortise/plugin-sdk';
import { StartError } from '../plugins/index.js';

/** What a person at the terminal is told of an error: the sentence alone where it explains itself. */
export function explain(error: unknown): string {
  if (error instanceof StartError || Problem.is(error)) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') return `the port is taken by another program: ${error.message}`;
  if (code === 'EACCES') return `not permitted: ${error.message}`;
  if (code === 'ECONNREFUSED') return `cannot connect: ${error.message}`;
  return error.stack ?? error.message;
}
