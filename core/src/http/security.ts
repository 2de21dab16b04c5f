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
  const targets = context.formTargets?.filter((one) => /^[\w+.:/[\]-]+$/.test(one)).join(' ');
  set(headers, 'content-security-policy', targets ? policy.replace(/\bform-action [^;]*/, `$& ${targets}`) : policy);
}
