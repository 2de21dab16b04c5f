import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from '@mortise/plugin-sdk';

/** A file of the site's own in the place of one of ours. */
interface BrandingFile {
  /** Path of its address, with what changes when the file does. */
  readonly href: string;
  readonly type: string;
  /** Within `public` of the work folder. */
  readonly path: string;
}

/** What administrators put into `public/assets` of the work folder, at the places that Gitea has for it. */
export interface SiteBranding {
  /** Comes after all others in every page. */
  readonly stylesheet?: BrandingFile;
  readonly logo?: BrandingFile;
  readonly favicon?: BrandingFile;
}

const types = { svg: 'image/svg+xml', png: 'image/png', css: 'text/css' };

/** As the files are at the start: every process then says the same until the next. */
export function readSiteBranding(site: Pick<Site, 'workDir' | 'path'>): SiteBranding {
  const find = (path: string, endings: readonly (keyof typeof types)[]): BrandingFile | undefined => {
    for (const ending of endings) {
      const file = `assets/${path}.${ending}`;
      const hash = hashOf(join(site.workDir, 'public', file));
      if (hash) return { href: site.path(`/${file}?v=${hash}`), type: types[ending], path: file };
    }
    return undefined;
  };
  return {
    stylesheet: find('css/site', ['css']),
    logo: find('img/logo', ['svg', 'png']),
    favicon: find('img/favicon', ['svg', 'png']),
  };
}

/** Undefined: there is no such file that can be read. */
function hashOf(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16);
  } catch {
    return undefined;
  }
}
