import { rewritten } from './rewrite.js';

/** `.meta({ deprecated: true })` of a field, as an extension: Swagger 2.0 has no word for it (VER-03). */
export const markDeprecated = <T>(part: T): T =>
  rewritten(part, (fields) => {
    const { 'x-meta': meta, ...rest } = fields;
    return (meta as { deprecated?: boolean } | undefined)?.deprecated ? { ...rest, 'x-deprecated': true } : fields;
  }) as T;

/** OpenAPI 3.0 has the word. */
export const plainDeprecated = <T>(part: T): T =>
  rewritten(part, (fields) => {
    const { 'x-deprecated': isDeprecated, ...rest } = fields;
    return isDeprecated ? { ...rest, deprecated: true } : fields;
  }) as T;
