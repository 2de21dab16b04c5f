import type { RequestContext } from './context.js';

/** Pages run nothing but our own scripts; label colours need style attributes. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data: https: http:",
  "media-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "base-uri 'none'",
].join('; ');

const set = (headers: Record<string, unknown>, name: string, value: string) => {
  if (value && value !== 'unset') headers[name] ??= value;
};

/** Headers that tell browsers what an answer may do. */
export function securityHeaders(context: RequestContext, headers: Record<string, unknown>): void {
  const { security } = context.kernel.settings;
  set(headers, 'x-content-type-options', security.X_CONTENT_TYPE_OPTIONS);
  if (context.surface === 'api') return;
  set(headers, 'x-frame-options', security.X_FRAME_OPTIONS);
  if (context.surface !== 'page') return;
  headers['referrer-policy'] ??= 'same-origin';
  headers['cross-origin-opener-policy'] ??= 'same-origin';
  const policy = security.CONTENT_SECURITY_POLICY_GENERAL || pagePolicy;
  set(headers, 'content-security-policy', withSources(policy, context));
}

/** Adds what the page says that it leads to and loads from. */
function withSources(policy: string, { formTargets, contentSources }: RequestContext): string {
  let text = policy;
  const add = (directive: string, sources: readonly string[]) => {
    const sound = sources.filter((one) => /^[\w+.*:/[\]-]+$/.test(one)).join(' ');
    if (sound) text = text.replace(new RegExp(`\\b${directive} [^;]*`), (found) => `${found} ${sound}`);
  };
  if (formTargets) add('form-action', formTargets);
  for (const [directive, sources] of Object.entries(contentSources ?? {})) add(directive, sources);
  return text;
}
