import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Server } from '@hapi/hapi';
import type {} from '@hapi/inert';
import { defineRoute, NotFound, type Route } from '@mortise/plugin-sdk';
import type { HttpKernel } from './kernel.js';

/** Files of the site itself: what administrators put into `public` of the work folder. */
const served = [
  { path: '/robots.txt', folder: '', name: 'robots.txt' },
  { path: '/.well-known/{path*}', folder: '.well-known' },
  { path: '/static/{path*}', folder: 'static' },
  // the look of the site, and what its style sheet names
  { path: '/assets/css/{path*}', folder: 'assets/css' },
  { path: '/assets/img/{path*}', folder: 'assets/img' },
  { path: '/assets/fonts/{path*}', folder: 'assets/fonts' },
];

/** For a picture that is opened by itself: as one in a page, it runs nothing. */
export const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const folderOf = (workDir: string): string => join(workDir, 'public');

const registered = new WeakMap<Server['listener'], Promise<void>>();

/** Gives the toolkit `file`, with the first file that is asked for: each module costs the start. */
export function registerFiles(server: Server): Promise<void> {
  let done = registered.get(server.listener);
  if (!done) {
    done = import('@hapi/inert').then(({ plugin }) => server.register(plugin));
    registered.set(server.listener, done);
  }
  return done;
}

/** None where the folder is not there at the start. */
export function publicFileRoutes({ site, settings }: HttpKernel): Route[] {
  const root = folderOf(site.workDir);
  if (!existsSync(root)) return [];
  const maxAge = Math.floor(settings.server.STATIC_CACHE_TIME / 1000);
  return served.map(({ path, folder, name }) =>
    defineRoute({
      method: 'GET',
      path,
      surface: 'protocol',
      access: { actor: 'anyone', always: true },
      async handler({ params, raw }) {
        const segments = (name ?? (params as { path?: string }).path ?? '').split('/');
        const file = join(root, folder, ...segments);
        // what begins with a dot belongs to editors and to the system
        if (segments.some((one) => one === '' || one.startsWith('.') || /[\\\0]/.test(one)) || !(await isFile(file)))
          throw NotFound('file');
        await registerFiles(raw.toolkit.request.server);
        const answer = raw.toolkit
          .file(file, { confine: root, etagMethod: 'simple' })
          .header('cache-control', `public, max-age=${maxAge}`);
        return folder === 'assets/img' ? answer.header('content-security-policy', picturePolicy) : answer;
      },
    }),
  );
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
