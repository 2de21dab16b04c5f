import { reply } from '@mortise/plugin-sdk';
import type { PackageFormat, PackageStore } from '@mortise/packages/api';
import { About, Instructions, readme } from './pages/view.js';
import { v2Routes } from './routes/v2.js';
import { v3Routes } from './routes/v3.js';
import { type, type Feed } from './services/feed.js';

/** Both feeds of NuGet (reference: 10.5). */
export function nugetFormat(feed: Feed, store: PackageStore): PackageFormat {
  return {
    key: type,
    label: 'NuGet',
    takeover: async () => (await import('./takeover/nuget.js')).nugetTakeover,
    keyHeader: 'x-nuget-apikey',
    order: 42,
    routes: [...v2Routes(feed), ...v3Routes(feed, store)],
    error: (problem) => reply.json({ Message: problem.message }, problem.status),
    instructions: Instructions,
    about: About,
    readme,
  };
}
