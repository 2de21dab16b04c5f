import satisfies from 'semver/functions/satisfies.js';
import valid from 'semver/functions/valid.js';
import { BadRequest } from '@mortise/plugin-sdk';
import { compose } from '../compose.js';
import type { HostOptions } from '../host.js';
import { deprecatedImports } from './deprecated-imports.js';
import { readManifest } from './manifest.js';

/** How one plugin that did not come with Mortise fits another version. */
interface VersionCheck {
  readonly name: string;
  readonly version: string;
  /** Its range for the SDK. */
  readonly range: string;
  readonly fits: boolean;
  /** What else decides, and what it uses that is going to be taken out; in words. */
  readonly notes: readonly string[];
}

const sdk = '@mortise/plugin-sdk';

/** Whether the plugins from outside allow a version of the SDK, and what deprecated parts of it they use. Changes nothing. */
export async function checkPluginsFor(options: HostOptions, target: string): Promise<VersionCheck[]> {
  if (!valid(target)) throw BadRequest(`"${target}" is no version such as 2.0.0.`);
  const composition = await compose({ ...options, tolerant: true, logStream: 'stderr', logLevel: 'none' });
  composition.metrics.close();
  const checks: VersionCheck[] = [];
  for (const { name, version, folder, from } of composition.found) {
    if (from === 'workspace') continue;
    const { peerDependencies: peers = {} } = await readManifest(folder);
    const loaded = composition.plugins.find(({ definition }) => definition.name === name);
    const range = loaded?.definition.sdk ?? peers[sdk] ?? '*';
    const warned = composition.declarations.warnings.filter(
      (text) => text.startsWith(`the plugin ${name} uses `) && text.includes('deprecated'),
    );
    const others = Object.entries(peers).filter(([other]) => other !== sdk && other.startsWith('@mortise/'));
    checks.push({
      name,
      version,
      range,
      fits: satisfies(target, range, { includePrerelease: true }),
      notes: [
        ...others.map(([other, wanted]) => `needs ${other} ${wanted}`),
        ...warned.map((text) => text.slice(`the plugin ${name} `.length)),
        ...deprecatedImports(folder),
        ...(loaded ? [] : ['is not loaded here: only its package.json and its imports were looked at']),
      ],
    });
  }
  return checks;
}
