import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineEvent, defineJob, definePoint, defineService } from '@mortise/plugin-sdk';
import { checkDeclarations } from '../registry/check-declarations.js';
import { deprecatedExports, sdkImports } from '../installed-plugins/deprecated-imports.js';
import type { Container } from '../registry/container.js';
import { Declarations } from '../registry/declarations.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('deprecated references', () => {
  const deprecated = { since: '1.4.0', use: 'stars.badges' };

  it('are named in a warning for each plugin that uses them, and not for the owner', () => {
    const all = new Declarations();
    const old = definePoint.many<object>('stars.labels', { deprecated });
    for (const owner of ['stars', 'mood', 'mood'])
      all.contributions.push({
        owner,
        ref: old,
        dependencies: {},
        value: {},
      } as unknown as (typeof all.contributions)[0]);
    const service = defineService<object>('stars.old', { deprecated: { since: '2.0.0', use: 'stars.stars' } });
    all.starts.push({ owner: 'mood', dependencies: { service }, start: async () => undefined });
    checkDeclarations(all, { has: () => true } as unknown as Container, []);
    expect(all.warnings.filter((warning) => warning.includes('deprecated'))).to.equal([
      'the plugin mood uses the service stars.old, which is deprecated since 2.0.0: use stars.stars',
      'the plugin mood uses the point stars.labels, which is deprecated since 1.4.0: use stars.badges',
    ]);
  });

  it('are found among what a plugin imports from the SDK', () => {
    const exported = deprecatedExports(`
/** Fine. */
export declare const fresh: string;
/**
 * Was fine.
 * @deprecated since 1.4.0: use
 *   {@link fresh}
 */
export declare function stale(): void;
export interface Plain {
    /** @deprecated since 1.2.0 */
    field?: string;
}
export declare const last: number;
`);
    expect([...exported]).to.equal([['stale', 'since 1.4.0: use fresh']]);
    const modules = `import { fresh, stale as old } from '@mortise/plugin-sdk';\nimport { last } from 'elsewhere';
import {
  other,
} from "@mortise/plugin-sdk";`;
    expect([...sdkImports(modules)]).to.equal(['fresh', 'stale', 'other']);
  });

  it('references of every kind carry the version since which they are deprecated, and what to use', () => {
    for (const ref of [
      defineService('a.b', { deprecated }),
      defineEvent('a.b', { deprecated }),
      defineJob('a.b', { deprecated }),
      definePoint.one('a.b', { deprecated }),
      definePoint.keyed('a.b', { deprecated }),
    ])
      expect(ref.deprecated, ref.kind).to.equal(deprecated);
    expect(defineService('a.b')).to.equal({ kind: 'service', id: 'a.b' });
  });
});
