/** The same rules as a loader thread asks for them (`module.register`), for versions of Node without hooks in place. */
import { redirection, type SharedModules } from './resolve-rules.js';

let shared: SharedModules | undefined;

export function initialize(data: SharedModules): void {
  shared = data;
}

interface Context {
  readonly parentURL?: string;
}
type Next = (specifier: string, context: Context) => Promise<{ url: string }>;

export async function resolve(specifier: string, context: Context, next: Next): Promise<{ url: string }> {
  const other = shared && redirection(shared, specifier, context.parentURL);
  if (!other) return next(specifier, context);
  const elsewhere = { ...context, parentURL: other.parent };
  if (!other.fallback) return next(specifier, elsewhere);
  try {
    return await next(specifier, context);
  } catch {
    return next(specifier, elsewhere);
  }
}
