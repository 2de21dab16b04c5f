import type { Problem, ProblemDetails, Text } from '@mortise/plugin-sdk';

/** A refusal that forms show at the field that it is about. */
export const fieldRefusal = (
  input: 'name' | 'email' | 'password' | 'title' | 'key' | 'username' | 'visibility',
  problem: (message: Text, details?: ProblemDetails) => Problem,
  message: Text,
): Problem => problem(message, { inputs: { [input]: message } });
