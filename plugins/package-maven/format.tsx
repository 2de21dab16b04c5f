import { definePackageRoute, type PackageFormat } from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import { type, type Artifacts } from './services/artifacts.js';

/** A Maven repository (reference: 10.4). */
export const mavenFormat = (artifacts: Artifacts): PackageFormat => ({
  key: type,
  label: 'Maven',
  takeover: async () => (await import('./takeover/maven.js')).mavenTakeover,
  order: 50,
  routes: [
    definePackageRoute({
      method: 'PUT',
      path: '/{path+}',
      needs: 'write',
      body: 'stream',
      id: 'mavenUpload',
      summary: 'Upload a file of an artifact, or a checksum to be compared',
      handler: (request) => artifacts.put(request),
    }),
    {
      method: 'GET',
      path: '/{path+}',
      needs: 'read',
      id: 'mavenDownload',
      summary: 'A file, a checksum of one, or the versions of an artifact',
      handler: (request) => artifacts.get(request),
    },
  ],
  instructions: Instructions,
  about: About,
});
